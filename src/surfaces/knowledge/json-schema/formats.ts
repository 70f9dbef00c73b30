import { z } from "zod";

const formats: Record<string, { safeParse(value: string): { success: boolean } }> = {
  email: z.email(),
  "date-time": z.iso.datetime({ offset: true }),
  date: z.iso.date(),
  time: z.iso.time(),
  duration: z.iso.duration(),
  uuid: z.guid(),
  uri: z.url(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  hostname: z.hostname(),
};

/** Whether a text has a JSON Schema format; any text has an unknown format. */
export function isFormat(text: string, format: string): boolean {
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined;
  return known?.safeParse(text).success ?? true;
}
