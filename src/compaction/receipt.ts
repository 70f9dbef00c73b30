import { plainTextOf, type StoredMessage, toolCallsOf } from "../context/conversation.ts";
import { fenceLine } from "../context/fence.ts";
import type { CompactionTrigger, Epoch, Receipt, ReceiptItem, Removed } from "../engine/records.ts";
import { listResident, type State } from "../engine/state.ts";
import { oneLine } from "../engine/text.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import { findIdentifiers, namesFirst } from "./identifiers.ts";

/** Max items that a receipt lists, most referenced first; the rest are only counted. */
const maxNamed = 400;

/** Max items of a removed span that a receipt accounts for. */
const maxItems = 2_000;

/** The items a receipt accounts for: every note, path, id, number, URL and open ask of the removed span, each once. */
export function accountFor(messages: readonly StoredMessage[], asks: readonly string[]): ReceiptItem[] {
  const identifiers = findIdentifiers(messages.map(({ message }) => plainTextOf(message)).join("\n"));
  const notes = messages.flatMap((stored) =>
    toolCallsOf(stored).flatMap(({ tool, input }) => noteIn(tool, input)),
  );
  const items = [
    ...asks.map((text): ReceiptItem => ({ kind: "ask", text })),
    ...[...new Set(notes)].map((text): ReceiptItem => ({ kind: "note", text })),
    ...namesFirst(identifiers),
  ];
  return items.slice(0, maxItems);
}

/** How the agent can get back what left the context: with a tool, from the host's transcript, or not at all. */
export type WayBack = "tool" | "transcript" | "none";

export interface ReceiptInput {
  state: State;
  epoch: Epoch;
  trigger: CompactionTrigger;
  removed: Removed;
  /** The model's whole context after the compaction. */
  contextAfter: string;
  wayBack: WayBack;
  summaryBy: Receipt["summaryBy"];
  tokensBefore: number;
  tokensAfter: number;
}

/** Sorts every item of the removed span into kept, recallable or missing. */
export function planReceipt(input: ReceiptInput): Receipt {
  const { state, epoch, removed, contextAfter } = input;
  const canRecall = input.wayBack !== "none";
  const isKept = keptIn(contextAfter);
  const kept = removed.items.filter(isKept);
  const lost = removed.items.filter((item) => !isKept(item));
  const putBack = findNeeded(lost, neededText(state), isKept).slice(0, 20);
  const gone = lost.filter((item) => !putBack.includes(item));
  const held = [...putBack, ...kept];
  const receipt = {
    epoch: epoch.number,
    trigger: input.trigger,
    from: removed.from,
    to: removed.to,
    summaryBy: input.summaryBy,
    warning: epoch.warning,
    skipped: epoch.skipped ?? "",
    tokensBefore: input.tokensBefore,
    tokensAfter: input.tokensAfter,
    counts: {
      kept: held.length,
      recallable: canRecall ? gone.length : 0,
      missing: canRecall ? 0 : gone.length,
    },
    kept: named(held),
    recallable: canRecall ? named(gone) : [],
    missing: canRecall ? [] : named(gone),
    putBack,
  };
  return { ...receipt, line: receiptLine(receipt, input) };
}

function named(items: readonly ReceiptItem[]): ReceiptItem[] {
  return items.slice(0, maxNamed);
}

/** Max parts that a failed check names. */
const maxLacks = 20;

/**
 * What a request lacks of what a compaction left in the model's context: the text in place of the removed messages,
 * byte by byte, and every item that the receipt lists as kept. Empty if the receipt is right.
 */
export function findLacks(receipt: Receipt, replacement: string, sent: string): string[] {
  const isKept = keptIn(sent);
  const lost = receipt.kept.filter((item) => !isKept(item)).map(({ text }) => oneLine(text, 200));
  const isWhole = sent.includes(replacement);
  const text = isWhole
    ? []
    : [`the summary, checkpoint and receipt as committed${differsAt(replacement, sent)}`];
  return [...text, ...lost].slice(0, maxLacks);
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

/** The text that a call wrote to memory. */
function noteIn(tool: string, input: unknown): string[] {
  const { operation, content, replace } = (input ?? {}) as Record<string, unknown>;
  const text = content ?? replace;
  return /note|scratchpad/.test(tool) &&
    operation !== "delete" &&
    typeof text === "string" &&
    text.trim() !== ""
    ? [text]
    : [];
}

/** Tests whether the context still contains an item as a whole, not as part of a longer one. */
function keptIn(context: string): (item: ReceiptItem) => boolean {
  const identifiers = new Set(findIdentifiers(context).map(({ text }) => text));
  const squeezed = squeeze(context);
  return ({ kind, text }) => {
    if (kind === "ask" || kind === "note") return squeezed.includes(squeeze(text));
    if (identifiers.has(text)) return true;
    return kind !== "number" && context.includes(text) && wholeWord(text).test(context);
  };
}

function wholeWord(text: string): RegExp {
  return new RegExp(`(?<![\\w/@.-])${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\w/-]|\\.\\w)`);
}

function squeeze(text: string): string {
  return oneLine(text.replaceAll("\\", ""));
}

function neededText(state: State): string {
  const { plan } = readScratchpad(state);
  const tasks = listResident(state, "task").map(([, task]) => JSON.stringify(task));
  return [plan, state.row.notepad ?? "", ...tasks].join("\n");
}

/** Lost items that the plan, the notepad or an open task still refers to; a file only once, whatever lines of it were named. */
function findNeeded(
  lost: readonly ReceiptItem[],
  needed: string,
  isKept: (item: ReceiptItem) => boolean,
): ReceiptItem[] {
  const found = new Set<string>();
  return lost.filter((item) => {
    const whole = withoutLine(item.text);
    const isThere = found.has(whole) || (whole !== item.text && isKept({ ...item, text: whole }));
    if (isThere || !isReferenced(item, needed)) return false;
    found.add(whole);
    return true;
  });
}

function withoutLine(text: string): string {
  return text.replace(/:\d+(?:-\d+)?$/, "");
}

/** The plan may name a file by its last part only, so compare that part. */
function isReferenced({ kind, text }: ReceiptItem, needed: string): boolean {
  if (kind === "ask") return text.length <= maxPutBackLength;
  if (kind !== "path" && kind !== "url" && kind !== "id") return false;
  const short = withoutLine(text).split(/[/\\]/).at(-1) ?? text;
  return short.length >= 4 && needed.includes(short);
}

const kinds = "notes, paths, ids, numbers, URLs and asks";

function receiptLine(receipt: Omit<Receipt, "line">, { removed, summaryBy, wayBack }: ReceiptInput): string {
  const { kept, recallable, missing } = receipt.counts;
  const total = kept + recallable + missing;
  if (wayBack !== "transcript" && removed.messages > 0) {
    const back = receipt.putBack.map(({ text }) => fenceLine(text)).join("; ");
    const rest = recallable > 0 ? `, ${recallable} can be recalled (tool recall)` : "";
    const needed = back === "" ? "" : ` Put back because they are still needed: ${back}.`;
    return `[Receipt: messages ${removed.from} to ${removed.to} were compacted. Of ${total} ${kinds} ${kept} are still here${rest}, ${missing} are missing.${needed}]`;
  }
  if (removed.messages === 0)
    return "[Receipt: the host compacted this conversation and gave no transcript to read, so what was lost is unknown. Your memory above is complete.]";
  const where = summaryBy === "unknown" ? "in the text above" : "in the text above or the summary";
  const rest =
    recallable > 0
      ? `, ${recallable} can be looked up in the transcript ${fenceLine(removed.transcript)}`
      : `, ${missing} are missing`;
  const back = receipt.putBack.slice(0, 5).map(({ text }) => fenceLine(text.slice(0, 160)));
  const needed = back.length > 0 ? ` Still needed by your notes: ${back.join("; ")}.` : "";
  return `[Receipt: ${removed.messages} messages were compacted. Of ${total} ${kinds} in them ${kept} are ${where}${rest}.${needed}]`;
}

/** Longer asks are not put back; the agent can recall them. */
const maxPutBackLength = 300;
