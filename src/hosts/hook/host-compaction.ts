import { statSync } from "node:fs";
import { planCheckpoint } from "../../compaction/checkpoint.ts";
import { planReceipt } from "../../compaction/receipt.ts";
import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import { fenceContent } from "../../context/fence.ts";
import { readEpoch } from "../../engine/conversation.ts";
import type { Checkpoint, Receipt } from "../../engine/records.ts";
import type { State } from "../../engine/state.ts";
import { normaliseTexts } from "../../engine/text.ts";
import type { Session } from "../../sessions/session.ts";
import { renderScratchpad } from "../../surfaces/scratchpad/block.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";

const asSystem = { actor: { kind: "system" as const }, surface: "hook" };

export async function readCheckpoint(session: Session, epoch: number): Promise<Checkpoint | undefined> {
  const [record] = await session.records("checkpoint", [String(epoch)]);
  return record?.value as unknown as Checkpoint | undefined;
}

/** What can be said without a model about a conversation that a host is about to compact. */
export async function planHostCheckpoint(
  session: Session,
  messages: readonly StoredMessage[],
): Promise<Checkpoint> {
  const state = await session.state();
  return planCheckpoint({
    state,
    messages,
    to: messages.length,
    earlier: await readCheckpoint(session, readEpoch(state).number - 1),
    countTokens: estimateTokens,
  });
}

/** Writes the checkpoint unless it says what is written already. */
export async function writeCheckpoint(session: Session, checkpoint: Checkpoint): Promise<void> {
  const known = await readCheckpoint(session, checkpoint.epoch);
  if (known?.text === checkpoint.text) return;
  await session.apply({ type: "context.checkpoint", checkpoint }, asSystem);
}

/** For the summariser. It never begins with a bracket, which some hosts would take for JSON. */
export function summariserText(checkpoint: Checkpoint): string {
  return `Carry over into the summary what stands between the marks below: open requests word for word, decisions, exact paths, names and numbers, what failed, and what is finished so that it is not done again. The agent's notepad and plan are kept outside the conversation and are shown to it again afterwards, so they need not be repeated.\n\n${checkpoint.text}`;
}

export interface ReceiptRequest {
  state: State;
  epoch: number;
  /** The messages that went. */
  removed: readonly StoredMessage[];
  asks: readonly string[];
  /** What the model is shown now: the injected memory and, where it is known, the host's summary. */
  shown: string;
  summary: string;
  /** "" when the host gives no transcript. */
  transcript: string;
}

/** Accounts for what a host has taken out of the context. */
export function planHostReceipt(request: ReceiptRequest): Receipt {
  const { state, epoch, removed, asks, shown, summary, transcript } = request;
  const contextAfter = `${shown}\n${summary}`;
  const receipt = planReceipt({
    state,
    epoch: { ...readEpoch(state), number: epoch },
    trigger: "host",
    removed,
    asks,
    contextAfter,
    canRecall: transcript !== "",
    summaryBy: "model",
    tokensBefore: estimateTokens(removed.map(({ message }) => plainTextOf(message)).join("\n")),
    tokensAfter: estimateTokens(contextAfter),
  });
  return { ...receipt, line: receiptLine(receipt, request) };
}

function receiptLine(receipt: Receipt, { removed, summary, transcript }: ReceiptRequest): string {
  if (removed.length === 0) {
    return "[Receipt: the host compacted this conversation and gave no transcript to read, so what was lost cannot be told. Your memory above is whole.]";
  }
  const { kept, recallable, missing } = receipt.counts;
  const where = summary === "" ? "in the text above" : "in the text above or the summary";
  const rest =
    recallable > 0
      ? `, ${recallable} can be looked up in the transcript ${oneLine(transcript)}`
      : `, ${missing} are missing`;
  const back = receipt.putBack.map(({ text }) => oneLine(text.slice(0, 160)));
  const needed = back.length > 0 ? ` Still needed by your notes: ${back.slice(0, 5).join("; ")}.` : "";
  return `[Receipt: ${removed.length} messages were compacted. Of ${kept + recallable + missing} notes, paths, ids, numbers, URLs and asks in them ${kept} are ${where}${rest}.${needed}]`;
}

/** It comes from outside, so it is fenced as all such text is. */
function oneLine(text: string): string {
  return fenceContent(text.replaceAll(/\s+/g, " ").trim()).toWellFormed();
}

/** Ends the epoch with its receipt; a second one, told with the summary, takes the first one's place. */
export async function writeReceipt(session: Session, receipt: Receipt): Promise<void> {
  await session.change(
    (state) => normaliseTexts({ type: "context.receipt" as const, receipt, blocks: frozenBlocks(state) }),
    () => false,
    asSystem,
  );
}

function frozenBlocks(state: State): string[] {
  return [renderScratchpad(readScratchpad(state))].filter((block) => block !== "");
}

export function sizeOf(path: string): number {
  return path === "" ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}
