import { plainTextOf, type StoredMessage, toolCallsOf } from "../context/conversation.ts";
import { fenceContent } from "../context/fence.ts";
import type { CompactionTrigger, Epoch, Receipt, ReceiptItem } from "../engine/conversation.ts";
import type { State } from "../engine/state.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import { findIdentifiers, namesFirst } from "./identifiers.ts";

/** So many identifiers a receipt names, those referred to most; it counts the others. */
const mostNamed = 400;

export interface ReceiptInput {
  state: State;
  epoch: Epoch;
  trigger: CompactionTrigger;
  removed: readonly StoredMessage[];
  /** What the user asked and has no answer to yet. */
  asks: readonly string[];
  /** Everything the model is given after the compaction. */
  contextAfter: string;
  /** Whether the agent has a tool to read removed messages back. */
  canRecall: boolean;
  summaryBy: Receipt["summaryBy"];
  tokensBefore: number;
  tokensAfter: number;
}

/** Accounts for every note, path, id, number, URL and open ask of the span that goes. */
export function planReceipt(input: ReceiptInput): Receipt {
  const { state, epoch, removed, asks, contextAfter, canRecall } = input;
  const items = itemsOf(removed, asks);
  const isKept = keeper(contextAfter);
  const kept = items.filter(isKept);
  const lost = items.filter((item) => !isKept(item));
  const putBack = findNeeded(lost, neededText(state), isKept).slice(0, 20);
  const gone = lost.filter((item) => !putBack.includes(item));
  const held = [...putBack, ...kept];
  const receipt = {
    epoch: epoch.number,
    trigger: input.trigger,
    from: removed[0]?.number ?? 0,
    to: removed.at(-1)?.number ?? 0,
    summaryBy: input.summaryBy,
    warning: epoch.warning,
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
  return { ...receipt, line: receiptLine(receipt) };
}

function named(items: readonly ReceiptItem[]): ReceiptItem[] {
  return items.slice(0, mostNamed);
}

/** Each item once. */
function itemsOf(removed: readonly StoredMessage[], asks: readonly string[]): ReceiptItem[] {
  const identifiers = findIdentifiers(removed.map(({ message }) => plainTextOf(message)).join("\n"));
  const notes = removed.flatMap((stored) =>
    toolCallsOf(stored).flatMap(({ tool, input }) => noteIn(tool, input)),
  );
  return [
    ...asks.map((text): ReceiptItem => ({ kind: "ask", text })),
    ...[...new Set(notes)].map((text): ReceiptItem => ({ kind: "note", text })),
    ...namesFirst(identifiers),
  ];
}

/** The text that a call wrote into memory. */
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

/** Tells whether the context still holds an item: the very one, not a part of a longer one. */
function keeper(context: string): (item: ReceiptItem) => boolean {
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
  return text.replaceAll("\\", "").replaceAll(/\s+/g, " ").trim();
}

function neededText(state: State): string {
  const { plan } = readScratchpad(state);
  const tasks = [...state.resident]
    .filter(([id]) => id.startsWith("task/"))
    .map(([, value]) => JSON.stringify(value));
  return [plan, state.row.notepad ?? "", ...tasks].join("\n");
}

/** What is still referred to; a file once, however many of its lines were named. */
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

/** The plan may name a file by its last part only; then the whole path is what is missed. */
function isReferenced({ kind, text }: ReceiptItem, needed: string): boolean {
  if (kind === "ask") return text.length <= longestPutBack;
  if (kind !== "path" && kind !== "url" && kind !== "id") return false;
  const short = withoutLine(text).split(/[/\\]/).at(-1) ?? text;
  return short.length >= 4 && needed.includes(short);
}

function receiptLine(receipt: Omit<Receipt, "line">): string {
  const { counts, putBack } = receipt;
  const { kept, recallable, missing } = counts;
  const total = kept + recallable + missing;
  const back =
    putBack.length > 0
      ? ` Put back because they are still needed: ${putBack.map(({ text }) => oneLine(text)).join("; ")}.`
      : "";
  const rest = recallable > 0 ? `, ${recallable} can be recalled (tool recall)` : "";
  return `[Receipt: messages ${receipt.from} to ${receipt.to} were compacted. Of ${total} notes, paths, ids, numbers, URLs and asks ${kept} are still here${rest}, ${missing} are missing.${back}]`;
}

/** What is longer is not put back but recalled. */
const longestPutBack = 300;

function oneLine(text: string): string {
  return fenceContent(text.replaceAll(/\s+/g, " ").trim());
}
