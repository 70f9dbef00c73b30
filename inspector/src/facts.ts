import type { Reply } from "./api.ts";
import { count, plural } from "./format.ts";

export type Facts = NonNullable<Reply<"listSessions">["sessions"][number]["last"]>;

/** The facts of a compaction, each in exactly one of three states. */
export interface Availability {
  "in context": string[];
  retrievable: string[];
  lost: string[];
}

export function availabilityOf({ removed, user, notepad, rest, readWith }: Facts): Availability {
  const said = user.whole + user.cut + user.leftOut;
  const missing = notepad.lines - notepad.shown;
  const facts: Availability = { "in context": [], retrievable: [], lost: [] };
  if (notepad.lines > 0)
    facts["in context"].push(
      missing === 0
        ? `notepad whole, ${plural(notepad.lines, "line")}`
        : `${count(notepad.shown)} of ${count(notepad.lines)} lines of the notepad`,
    );
  if (said > 0)
    facts["in context"].push(
      `${count(user.whole + user.cut)} of ${plural(said, "user message")}${user.cut > 0 ? `, ${count(user.cut)} of them cut` : ""}`,
    );
  if (removed > 0)
    facts[rest].push(`${plural(removed, "removed message")}${readWith === "" ? "" : `, with ${readWith}`}`);
  if (missing > 0) facts.retrievable.push(`${plural(missing, "line")} of the notepad, with read_notepad`);
  return facts;
}

/** The same in a few words, for a row of a table. */
export function describeCompaction({ removed, user, notepad, rest }: Facts): string {
  const said = user.whole + user.cut + user.leftOut;
  const parts = [
    notepad.lines === 0
      ? "no notepad"
      : notepad.shown === notepad.lines
        ? "notepad whole"
        : `notepad ${count(notepad.shown)} of ${count(notepad.lines)} lines`,
    ...(said === 0 ? [] : [`${count(user.whole + user.cut)} of ${plural(said, "user message")}`]),
    ...(rest === "lost" && removed > 0 ? [`${plural(removed, "message")} lost`] : []),
  ];
  return parts.join(", ");
}

export function warningFact({
  warning,
  skipped,
  wrote,
}: Pick<Facts, "warning" | "skipped" | "wrote">): string {
  if (warning === "given")
    return `The agent was warned and ${wrote ? "wrote down what it needs" : "wrote nothing"}`;
  return `The agent was not warned${skipped === "" ? "" : `: ${skipped}`}`;
}
