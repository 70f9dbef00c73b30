const date = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})`;
const full = new RegExp(`^${date}T${time}$`);
const any = new RegExp(`^(?:${date}(?:T${time})?|${time})$`);

/** An ISO 8601 date and time with a zone. */
export function isTimestamp(text: string): boolean {
  return full.test(text) && isDay(text);
}

/** A date, a time or both, as tables allow. */
export function isDateOrTime(text: string): boolean {
  return any.test(text) && isDay(text);
}

/** Rejects February 31st, which `Date` would roll over into March. */
function isDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(text) ?? [];
  return day === undefined || Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** The text as an ISO 8601 timestamp, if it is unambiguous; without a zone it is UTC. */
export function asTimestamp(text: string): string | undefined {
  const [, day, clock, zone] =
    /^(\d{4}-\d{2}-\d{2})[ T,]+(\d{1,2}:\d{2}(?::\d{2})?)\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i.exec(
      text.trim(),
    ) ?? [];
  if (day === undefined || clock === undefined) return undefined;
  const [hours = "", minutes = "", seconds = "00"] = clock.split(":");
  const suffix = zone === undefined || /^[a-z]+$/i.test(zone) ? "Z" : zone;
  const written = `${day}T${hours.padStart(2, "0")}:${minutes}:${seconds}${suffix}`;
  return isTimestamp(written) ? written : undefined;
}
