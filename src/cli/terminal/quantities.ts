const second = 1_000;
const units: [name: string, milliseconds: number][] = [
  ["year", 365 * 86_400 * second],
  ["month", 30 * 86_400 * second],
  ["week", 7 * 86_400 * second],
  ["day", 86_400 * second],
  ["hour", 3_600 * second],
  ["minute", 60 * second],
];

/** "3 minutes ago". */
export function ageOf(at: number, now = Date.now()): string {
  const [name, milliseconds] = units.find(([, length]) => now - at >= length) ?? [];
  if (name === undefined || milliseconds === undefined) return "just now";
  return `${counted(Math.floor((now - at) / milliseconds), name)} ago`;
}

/** "1 note", "2 notes". */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

const sizes: [name: string, bytes: number][] = [
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
];

/** "1.2 MB". */
export function inBytes(bytes: number): string {
  const [name, unit] = sizes.find(([, least]) => bytes >= least) ?? ["B", 1];
  const value = bytes / unit;
  return `${name === "B" || value >= 100 ? Math.round(value) : value.toFixed(1)} ${name}`;
}

/** "12,345". */
export function count(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function bar(share: number, width: number): string {
  const filled = Math.max(0, Math.min(width, Math.round(share * width)));
  return `${"█".repeat(filled)}${"░".repeat(width - filled)}`;
}
