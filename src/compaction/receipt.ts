import { fenceContent } from "../context/fence.ts";
import type { CompactionTrigger, Epoch, Handoff, Receipt, Removed } from "../engine/records.ts";

export interface ReceiptInput {
  epoch: Epoch;
  trigger: CompactionTrigger;
  /** Whether the agent wrote to its memory after the warning. */
  wrote: boolean;
  removed: Removed;
  handoff: Handoff;
  notepad: string;
  /** The model's whole context after the compaction, and the lines of the notepad in it if the driver counted them. */
  after: { text: string; tokens: number; notepad?: Receipt["notepad"] };
  readWith: string;
  summaryBy: Receipt["summaryBy"];
}

/** The facts of a compaction. */
export function planReceipt(input: ReceiptInput): Receipt {
  const { epoch, trigger, removed, handoff, after, readWith, summaryBy } = input;
  const receipt = {
    epoch: epoch.number,
    trigger,
    from: removed.from,
    to: removed.to,
    messages: removed.messages,
    summaryBy,
    warning: epoch.warning,
    skipped: epoch.skipped,
    wrote: input.wrote,
    tokensBefore: removed.tokens,
    tokensAfter: after.tokens,
    user: handoff.shown,
    notepad: after.notepad ?? notepadShown(input.notepad, after.text),
    rest: readWith === "" ? ("lost" as const) : ("retrievable" as const),
    readWith,
  };
  return { ...receipt, line: receiptLine(receipt) };
}

/** "[Receipt: 54 messages compacted. In context: 12 user messages, whole notepad. Rest: recall]". */
function receiptLine({ messages, user, notepad, readWith }: Omit<Receipt, "line">): string {
  if (messages === 0) return "[Receipt: compacted by the host. Its messages could not be read.]";
  const said = user.whole + user.cut;
  const shown = [
    said === 0
      ? ""
      : `${said} user ${said === 1 ? "message" : "messages"}${user.cut === 0 ? "" : ` (${user.cut} cut)`}`,
    notepadFact(notepad),
  ].filter((part) => part !== "");
  const inContext = shown.length === 0 ? "" : ` In context: ${shown.join(", ")}.`;
  return `[Receipt: ${messages} ${messages === 1 ? "message" : "messages"} compacted.${inContext} Rest: ${readWith === "" ? "lost" : readWith}]`;
}

/** "notepad to line 80 and from line 201": a long notepad is shown without its middle. */
function notepadFact({ lines, shown, tail = 0 }: Receipt["notepad"]): string {
  if (shown + tail === 0) return "";
  if (shown === lines) return "whole notepad";
  const ends = [
    shown === 0 ? "" : `to line ${shown}`,
    tail === 0 ? "" : `from line ${lines - tail + 1}`,
  ].filter((end) => end !== "");
  return `notepad ${ends.join(" and ")}`;
}

/** A line for the user, in a host that shows one: what the model has again, and what it can recall. */
export function noticeFor({ user, notepad, messages, readWith }: Receipt): string | undefined {
  const said = user.whole + user.cut;
  const restored = [
    said === 0 ? "" : `${said} of your messages`,
    linesInContext(notepad) === 0
      ? ""
      : notepad.shown === notepad.lines
        ? "the notepad"
        : "part of the notepad",
  ].filter((part) => part !== "");
  const removed = messages === 1 ? "the removed message" : `all ${messages} removed messages`;
  const sentences = [
    restored.length === 0 ? "" : `Holdfast restored ${restored.join(" and ")}.`,
    messages === 0 || readWith !== "recall" ? "" : `The agent can recall ${removed}.`,
  ].filter((sentence) => sentence !== "");
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

function notepadShown(notepad: string, text: string): Receipt["notepad"] {
  return notepad === "" ? { lines: 0, shown: 0 } : linesShown(fenceContent(notepad), text);
}

/** How many lines of a content a text has: from the first, and the last ones in what is below a cut. */
export function linesShown(content: string, text: string, below = text): Receipt["notepad"] {
  const lines = content.split("\n");
  if (text.includes(content)) return { lines: lines.length, shown: lines.length };
  const shown = largest(lines.length - 1, (count) => text.includes(lines.slice(0, count).join("\n")));
  const tail = largest(lines.length - 1 - shown, (count) =>
    below.includes(`\n${lines.slice(-count).join("\n")}`),
  );
  return { lines: lines.length, shown, ...(tail === 0 ? {} : { tail }) };
}

/** The largest count up to `max` that fits, when every smaller one fits too. */
function largest(max: number, fits: (count: number) => boolean): number {
  let [found, beyond] = [0, max + 1];
  while (beyond - found > 1) {
    const middle = (found + beyond) >> 1;
    if (fits(middle)) found = middle;
    else beyond = middle;
  }
  return found;
}

/** The lines of the notepad that a compaction left in context. */
export function linesInContext({ shown, tail = 0 }: Receipt["notepad"]): number {
  return shown + tail;
}

/**
 * The parts that a request lacks of the context after a compaction: the text in place of the removed messages, byte
 * by byte. Empty if the receipt is right.
 */
export function findLacks(replacement: string, sent: string): string[] {
  if (sent.includes(replacement)) return [];
  return [`the summary, handoff and receipt as committed${differsAt(replacement, sent)}`];
}

/** Where a text that should be there differs from what is. */
function differsAt(expected: string, sent: string): string {
  let [same, other] = [0, expected.length + 1];
  while (other - same > 1) {
    const middle = (same + other) >> 1;
    if (sent.includes(expected.slice(0, middle))) same = middle;
    else other = middle;
  }
  return same === 0
    ? ""
    : `, which differ after ${JSON.stringify(expected.slice(Math.max(0, same - 40), same))}`;
}
