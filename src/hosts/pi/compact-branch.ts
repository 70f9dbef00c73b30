import { planCheckpoint } from "../../compaction/checkpoint.ts";
import { planReceipt } from "../../compaction/receipt.ts";
import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";
import { fenceContent } from "../../context/fence.ts";
import { type Checkpoint, type Receipt, readEpoch } from "../../engine/conversation.ts";
import { isObject } from "../../engine/json.ts";
import type { Session } from "../../sessions/session.ts";
import { readCheckpoint, writeCheckpoint } from "../hook/host-compaction.ts";
import { memoryText } from "../shown-memory.ts";
import type { PiAgentMessage, PiBeforeCompactEvent, PiContext, PiTreeEntry } from "./api.ts";
import { toModelMessage } from "./model-messages.ts";
import { summarise } from "./summarise.ts";

/** A compaction that pi is about to make: what goes, what stays, and what was written down before it. */
export interface PlannedCompaction {
  removed: StoredMessage[];
  kept: StoredMessage[];
  checkpoint: Checkpoint;
  tokensBefore: number;
}

const asSystem = { actor: { kind: "system" as const } };

export type CountTokens = (text: string) => number;

/** Writes the checkpoint; from here on the messages may go. */
export async function checkpointBranch(
  session: Session,
  { preparation, branchEntries }: PiBeforeCompactEvent,
  countTokens: CountTokens,
): Promise<PlannedCompaction> {
  const state = await session.state();
  const { messagesToSummarize, turnPrefixMessages = [], firstKeptEntryId, tokensBefore } = preparation;
  const removed = numbered([...messagesToSummarize, ...turnPrefixMessages]);
  const kept = numbered(messagesFrom(branchEntries, firstKeptEntryId), removed.length + 1);
  const epoch = readEpoch(state);
  if (epoch.warning === "none") {
    const reason = "the host compacted before the warning was due";
    await session.apply({ type: "context.skip_warning", trigger: "host", reason }, asSystem);
  }
  const checkpoint = planCheckpoint({
    state,
    messages: [...removed, ...kept],
    to: removed.length,
    earlier: await readCheckpoint(session, epoch.number - 1),
    countTokens,
  });
  await writeCheckpoint(session, checkpoint);
  return { removed, kept, checkpoint, tokensBefore };
}

export interface SummaryRequest {
  context: PiContext;
  event: PiBeforeCompactEvent;
  countTokens: CountTokens;
  /** Told why no model has written the summary. */
  noModel: (error: unknown) => void;
}

/** Our own summary: it carries the earlier one, the checkpoint and the receipt. */
export async function summariseBranch(
  session: Session,
  planned: PlannedCompaction,
  { context, event, countTokens, noModel }: SummaryRequest,
): Promise<{ summary: string; receipt: Receipt }> {
  const { removed, checkpoint } = planned;
  const { text, by } = await summarise(context, {
    previous: event.preparation.previousSummary ?? "",
    removed,
    openAsks: checkpoint.openAsks,
    focus: event.customInstructions ?? "",
    signal: event.signal,
    countTokens,
    noModel,
  });
  const body = `[Summary of the conversation so far]\n${fenceContent(text)}\n[End of summary]\n\n${checkpoint.text}`;
  const receipt = await receiptOf(session, planned, body, by, countTokens);
  return { summary: `${body}\n\n${receipt.line}`, receipt };
}

/** What is still in front of the model when this text stands where the removed messages stood. */
export async function receiptOf(
  session: Session,
  { removed, kept, checkpoint, tokensBefore }: PlannedCompaction,
  summary: string,
  summaryBy: Receipt["summaryBy"],
  countTokens: CountTokens,
): Promise<Receipt> {
  const context = await session.context();
  const state = await session.state();
  const contextAfter = [
    memoryText(context),
    summary,
    ...kept.map(({ message }) => plainTextOf(message)),
  ].join("\n");
  return planReceipt({
    state,
    epoch: readEpoch(state),
    trigger: "host",
    removed,
    asks: checkpoint.openAsks,
    contextAfter,
    canRecall: (await session.tools()).some(({ name }) => name === "recall"),
    summaryBy,
    tokensBefore,
    tokensAfter: countTokens(contextAfter),
  });
}

function numbered(messages: readonly PiAgentMessage[], first = 1): StoredMessage[] {
  return messages
    .flatMap((message) => {
      const converted = toModelMessage(message);
      const at = typeof message.timestamp === "number" ? message.timestamp : 0;
      return converted ? [{ message: converted, at }] : [];
    })
    .map((stored, index) => ({ number: first + index, ...stored }));
}

function messagesFrom(branch: readonly PiTreeEntry[], firstKept: string): PiAgentMessage[] {
  const start = branch.findIndex(({ id }) => id === firstKept);
  return branch
    .slice(start === -1 ? branch.length : start)
    .flatMap(({ type, message }) => (type === "message" && isObject(message) ? [message] : []));
}
