import type { CompactionTrigger, Epoch, Receipt, ReceiptItem } from "../engine/conversation.ts";
import { readScratchpad } from "../engine/scratchpad.ts";
import type { State } from "../engine/state.ts";
import { type StoredMessage, textOf, toolCallsOf } from "./conversation.ts";
import { openAsks } from "./plan-checkpoint.ts";
import { findIdentifiers } from "./plan-identifiers.ts";

/** Beyond this many of a kind a receipt only counts. */
const mostItems = 400;

export interface ReceiptInput {
  state: State;
  epoch: Epoch;
  trigger: CompactionTrigger;
  removed: readonly StoredMessage[];
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
  const { state, epoch, removed, contextAfter, canRecall } = input;
  const items = itemsOf(removed);
  const kept = items.filter(({ text }) => contains(contextAfter, text));
  const lost = items.filter(({ text }) => !contains(contextAfter, text));
  const needed = neededText(state);
  const putBack = lost.filter((item) => isReferenced(item, needed)).slice(0, 20);
  const gone = lost.filter((item) => !putBack.includes(item));
  const receipt = {
    epoch: epoch.number,
    trigger: input.trigger,
    from: removed[0]?.number ?? 0,
    to: removed.at(-1)?.number ?? 0,
    summaryBy: input.summaryBy,
    warning: epoch.warning,
    tokensBefore: input.tokensBefore,
    tokensAfter: input.tokensAfter,
    kept: [...kept, ...putBack],
    recallable: canRecall ? gone : [],
    missing: canRecall ? [] : gone,
    putBack,
  };
  return { ...receipt, line: receiptLine(receipt) };
}

function itemsOf(removed: readonly StoredMessage[]): ReceiptItem[] {
  const asks = openAsks(removed).map((text): ReceiptItem => ({ kind: "ask", text }));
  const notes = removed.flatMap((stored) =>
    toolCallsOf(stored).flatMap(({ tool, input }): ReceiptItem[] => {
      const { content } = (input ?? {}) as { content?: unknown };
      return /note|scratchpad/.test(tool) && typeof content === "string" && content !== "" ? [{ kind: "note", text: content }] : [];
    }),
  );
  const identifiers = findIdentifiers(removed.map(({ message }) => textOf(message)).join("\n"));
  return [...asks, ...notes, ...identifiers.slice(0, mostItems)];
}

function contains(context: string, item: string): boolean {
  return context.includes(item) || (/\s/.test(item) && squeeze(context).includes(squeeze(item)));
}

function squeeze(text: string): string {
  return text.replaceAll("\\", "").replaceAll(/\s+/g, " ").trim();
}

function neededText(state: State): string {
  const { plan } = readScratchpad(state);
  const tasks = [...state.resident].filter(([id]) => id.startsWith("task/")).map(([, value]) => JSON.stringify(value));
  return [plan, state.row.notepad ?? "", ...tasks].join("\n");
}

/** The plan may name a file by its last part only; then the whole path is what is missed. */
function isReferenced({ kind, text }: ReceiptItem, needed: string): boolean {
  if (kind === "ask") return true;
  if (kind !== "path" && kind !== "url" && kind !== "id") return false;
  const short = text.replace(/:\d+(?:-\d+)?$/, "").split("/").at(-1) ?? text;
  return short.length >= 4 && needed.includes(short);
}

function receiptLine(receipt: Omit<Receipt, "line">): string {
  const { kept, recallable, missing, putBack } = receipt;
  const total = kept.length + recallable.length + missing.length;
  const back = putBack.length > 0 ? ` Put back because they are still needed: ${putBack.map(({ text }) => oneLine(text)).join("; ")}.` : "";
  const rest = recallable.length > 0 ? `, ${recallable.length} can be recalled (tool recall)` : "";
  return `[Receipt: messages ${receipt.from} to ${receipt.to} were compacted. Of ${total} notes, paths, ids, numbers, URLs and asks ${kept.length} are still here${rest}, ${missing.length} are missing.${back}]`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300).toWellFormed()}…` : line;
}
