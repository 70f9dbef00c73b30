const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function count(value: number): string {
  return whole.format(Math.round(value));
}

export function brief(value: number): string {
  return value < 10_000 ? count(value) : short.format(value);
}

/** `plural(1, "note")` is "1 note". */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function percent(part: number, all: number): string {
  if (all <= 0) return "0\u00a0%";
  const value = (100 * part) / all;
  return `${value > 0 && value < 1 ? "<1" : Math.round(value)}\u00a0%`;
}

export function time(at: number): string {
  return clock.format(at);
}

export function dateTime(at: number): string {
  return day.format(at);
}

/** "just now", "2 min ago". */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** Who did something, by kind. */
export const actors = {
  agent: "the agent",
  person: "a person",
  "sub-session": "a child session",
  import: "an import",
  system: "Holdfast",
};

interface Actor {
  kind: keyof typeof actors;
  name?: string | undefined;
}

export function actorName({ kind, name }: Actor): string {
  return name ?? actors[kind];
}

/** "Agent", "Child session". */
export function actorLabel({ kind, name }: Actor): string {
  return name ?? capital(actors[kind].replace(/^(?:the|an?) /, ""));
}

export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
