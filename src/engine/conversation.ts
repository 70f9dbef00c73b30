import { HoldfastError } from "../errors.ts";
import { Draft } from "./draft.ts";
import { messageKey } from "./messages.ts";
import type { Outcome } from "./operations.ts";
import { applyChanges, type Json, listResident, type State } from "./state.ts";

/** The span between two compactions, and what was frozen into the prompt at its start. */
export interface Epoch {
  number: number;
  /** The revision up to which memory changes stand in the prompt. */
  placed: number;
  /** Characters of changes put into the prompt since the last whole copy. */
  changed: number;
  /** How full the context was when the agent was last told, in percent. */
  told: number;
  /** Whether the agent has been told that a compaction is near. */
  warning: "none" | "given" | "skipped";
}

export interface EpochSnapshot {
  notepad: string;
  /** The other surfaces' blocks, as rendered then. */
  blocks: string[];
}

/** A stretch of messages that stands in the prompt as one text. */
export interface Span {
  from: number;
  to: number;
  kind: "summary" | "task" | "cancelled";
  text: string;
}

/** A tool result that stands in the prompt as one line. */
export interface ClearedResult {
  message: number;
  tool: string;
  summary: string;
}

/** A memory change in the prompt, before the message of that number, until the epoch ends. */
export interface Injection {
  before: number;
  text: string;
}

export interface OpenTask {
  description: string;
  /** The message that opened it. */
  from: number;
  /** 1 for the outermost. */
  depth: number;
}

export type CompactionTrigger = "threshold" | "projected" | "overflow" | "manual" | "sub-session" | "host";

/** What is written down before a compaction, whether or not the agent helped. */
export interface Checkpoint {
  epoch: number;
  /** As the agent sees it. */
  text: string;
  filesRead: string[];
  filesWritten: string[];
  failedCommands: string[];
  identifiers: string[];
  openAsks: string[];
  openTasks: string[];
  planOpen: string[];
  planClosed: string[];
}

export type ReceiptItem = { kind: "note" | "path" | "id" | "number" | "url" | "ask"; text: string };

/** What a compaction kept, what can be recalled, what is missing. */
export interface Receipt {
  epoch: number;
  trigger: CompactionTrigger;
  /** The removed messages, first and last. */
  from: number;
  to: number;
  summaryBy: "model" | "deterministic";
  warning: Epoch["warning"];
  tokensBefore: number;
  tokensAfter: number;
  /** How many are kept, recallable and missing; the lists name those referred to most. */
  counts: { kept: number; recallable: number; missing: number };
  kept: ReceiptItem[];
  recallable: ReceiptItem[];
  missing: ReceiptItem[];
  putBack: ReceiptItem[];
  /** The one line the agent sees. */
  line: string;
}

export type ConversationOperation =
  | { type: "context.open"; blocks: string[] }
  | { type: "context.inject"; before: number; text: string; placed: number; whole: boolean }
  | { type: "context.fold"; blocks: string[]; before: number; mark: string }
  | { type: "context.tell"; before: number; text: string; percent: number }
  | { type: "context.warn"; trigger: CompactionTrigger; before: number; text: string }
  | { type: "context.skip_warning"; trigger: CompactionTrigger; reason: string }
  | { type: "context.checkpoint"; checkpoint: Checkpoint }
  | { type: "context.clear"; results: ({ id: string } & ClearedResult)[] }
  | { type: "context.compact"; to: number; summary: string; blocks: string[]; mark: string; receipt: Receipt }
  | { type: "context.receipt"; blocks: string[]; receipt: Receipt }
  | { type: "tasks.begin"; description: string }
  | { type: "tasks.end"; summary: string }
  | { type: "tasks.cancel"; reason: string };

export type ConversationResult = { epoch: number; task?: string; depth?: number };

/** Tasks may stand inside tasks this far. */
const deepestTask = 4;

export function applyConversation(
  draft: Draft,
  state: State,
  operation: ConversationOperation,
): Outcome<ConversationResult> {
  const epoch = readEpoch(state);
  const done = (more: Partial<ConversationResult> = {}): Outcome<ConversationResult> => ({
    result: { epoch: epoch.number, ...more },
    warnings: [],
  });
  switch (operation.type) {
    case "context.open":
      if (draft.record("epoch", "current") === null) openEpoch(draft, state, 1, operation.blocks);
      return done();
    case "context.inject": {
      inject(draft, operation);
      const changed = operation.whole ? 0 : epoch.changed + operation.text.length;
      putEpoch(draft, { ...epoch, placed: operation.placed, changed });
      return done();
    }
    case "context.fold":
      removeInjections(draft, state);
      openEpoch(draft, state, epoch.number + 1, operation.blocks);
      inject(draft, { before: operation.before, text: operation.mark });
      return { result: { epoch: epoch.number + 1 }, warnings: [] };
    case "context.tell":
      inject(draft, operation);
      putEpoch(draft, { ...epoch, told: operation.percent });
      return done();
    case "context.warn":
      inject(draft, operation);
      putEpoch(draft, { ...epoch, warning: "given" });
      return done();
    case "context.skip_warning":
      putEpoch(draft, { ...epoch, warning: "skipped" });
      return done();
    case "context.checkpoint":
      draft.put("checkpoint", String(epoch.number), operation.checkpoint as unknown as Json);
      return done();
    case "context.clear":
      for (const { id, ...cleared } of operation.results) draft.put("cleared", id, { ...cleared });
      return done();
    case "context.compact":
      compact(draft, state, operation, epoch);
      return { result: { epoch: epoch.number + 1 }, warnings: [] };
    case "context.receipt":
      return done({ epoch: acceptReceipt(draft, state, operation, epoch) });
    case "tasks.begin":
      return done(beginTask(draft, state, operation.description));
    case "tasks.end":
      return done(closeTask(draft, state, "task", operation.summary));
    case "tasks.cancel":
      return done(closeTask(draft, state, "cancelled", operation.reason));
  }
}

function inject(draft: Draft, { before, text }: Injection): void {
  const number = draft.counter("lastInjection") + 1;
  draft.mark("lastInjection", number);
  draft.insert("injection", messageKey(number), { before, text });
}

type Compaction = Extract<ConversationOperation, { type: "context.compact" }>;

/** All of it or nothing: the span goes only after its checkpoint, and together with its receipt. */
function compact(draft: Draft, state: State, operation: Compaction, epoch: Epoch): void {
  const { to, receipt } = operation;
  mustHaveCheckpoint(draft, epoch);
  const from = summarisedUpTo(state) + 1;
  if (
    receipt.epoch !== epoch.number ||
    receipt.from !== from ||
    receipt.to !== to ||
    to < from ||
    to > draft.counter("lastMessage")
  ) {
    throw new HoldfastError(
      "conflict",
      `This compaction of messages ${receipt.from} to ${to} was planned for epoch ${receipt.epoch}, but epoch ${epoch.number} begins with message ${from} of ${draft.counter("lastMessage")}. Nothing was removed. Plan it again.`,
      { data: { epoch: epoch.number, from, to } },
    );
  }
  replaceSpan(draft, state, operation, epoch);
  draft.put("receipt", String(epoch.number), receipt as unknown as Json);
}

function mustHaveCheckpoint(draft: Draft, epoch: Epoch): void {
  if (draft.record("checkpoint", String(epoch.number)) !== null) return;
  throw new HoldfastError(
    "conflict",
    `Epoch ${epoch.number} has no checkpoint yet, so nothing may leave the context. Write the checkpoint first.`,
  );
}

type HostCompaction = Extract<ConversationOperation, { type: "context.receipt" }>;

/**
 * A host has compacted the conversation that it keeps itself: the epoch ends, through the same gate. The receipt of
 * the epoch before may be given once more, when the host tells its summary only later.
 */
function acceptReceipt(
  draft: Draft,
  state: State,
  { blocks, receipt }: HostCompaction,
  epoch: Epoch,
): number {
  const isLater =
    receipt.epoch === epoch.number - 1 && draft.record("receipt", String(receipt.epoch)) !== null;
  if (receipt.epoch !== epoch.number && !isLater) {
    throw new HoldfastError(
      "conflict",
      `This receipt is of epoch ${receipt.epoch}, but the session is in epoch ${epoch.number}. Nothing was changed. Plan it again.`,
      { data: { epoch: epoch.number } },
    );
  }
  if (!isLater) {
    mustHaveCheckpoint(draft, epoch);
    removeInjections(draft, state);
    openEpoch(draft, state, epoch.number + 1, blocks);
  }
  draft.put("receipt", String(receipt.epoch), receipt as unknown as Json);
  return isLater ? epoch.number : epoch.number + 1;
}

function replaceSpan(
  draft: Draft,
  state: State,
  { to, summary, blocks, mark }: Omit<Compaction, "type" | "receipt">,
  epoch: Epoch,
): void {
  for (const [key, span] of readSpans(state)) if (span.to <= to) draft.remove("span", key);
  for (const [key, cleared] of readCleared(state)) if (cleared.message <= to) draft.remove("cleared", key);
  removeInjections(draft, state);
  draft.put("span", "summary", {
    from: 1,
    to,
    kind: "summary",
    text: summary,
  } satisfies Span as unknown as Json);
  openEpoch(draft, state, epoch.number + 1, blocks);
  // What stays was said before the snapshot was taken; the mark says so.
  const last = draft.counter("lastMessage");
  if (to < last) inject(draft, { before: last + 1, text: mark });
}

/** The state as a compaction would leave it, to see what the model would then be shown. */
export function previewCompaction(state: State, compaction: Omit<Compaction, "type" | "receipt">): State {
  const draft = new Draft(state, new Map());
  replaceSpan(draft, state, compaction, readEpoch(state));
  return applyChanges(state, draft.changes);
}

/** The last message that a summary stands for. */
function summarisedUpTo(state: State): number {
  return (state.resident.get("span/summary") as unknown as Span | undefined)?.to ?? 0;
}

/** A new epoch shows the whole memory, so the changes of the old one have done their duty. */
function removeInjections(draft: Draft, state: State): void {
  for (const [key] of listResident(state, "injection")) draft.remove("injection", key);
}

function openEpoch(draft: Draft, state: State, number: number, blocks: string[]): void {
  const snapshot: EpochSnapshot = { notepad: state.row.notepad ?? "", blocks };
  draft.put("epoch", "snapshot", snapshot as unknown as Json);
  putEpoch(draft, { number, placed: state.row.revision, changed: 0, told: 0, warning: "none" });
}

function putEpoch(draft: Draft, epoch: Epoch): void {
  draft.put("epoch", "current", { ...epoch });
}

function beginTask(draft: Draft, state: State, description: string): { task: string; depth: number } {
  const open = readTasks(state);
  if (open.length >= deepestTask) {
    throw new HoldfastError(
      "over_limit",
      `Tasks can be nested ${deepestTask} deep, and ${open.length} are open. Call end_task or cancel_task first. The innermost is: ${open.at(-1)?.[1].description}`,
      { data: { open: open.length, limit: deepestTask } },
    );
  }
  const number = draft.counter("lastTask") + 1;
  const task = `task_${number}`;
  draft.mark("lastTask", number);
  const value: OpenTask = { description, from: draft.counter("lastMessage"), depth: open.length + 1 };
  draft.insert("task", messageKey(number), { ...value });
  return { task, depth: value.depth };
}

/** The innermost open task becomes one line; what collapsed inside it goes with it. */
function closeTask(
  draft: Draft,
  state: State,
  kind: "task" | "cancelled",
  outcome: string,
): { task: string; depth: number } {
  const innermost = readTasks(state).at(-1);
  if (!innermost) {
    throw new HoldfastError(
      "not_found",
      "There is no open task. Call begin_task first, or just go on: nothing needs closing.",
    );
  }
  const [key, { description, from, depth }] = innermost;
  const to = draft.counter("lastMessage");
  draft.remove("task", key);
  for (const [inner, span] of readSpans(state))
    if (span.kind !== "summary" && span.from >= from) draft.remove("span", inner);
  const text =
    kind === "task" ? `[Task: ${description} — ${outcome}]` : `[Cancelled: ${description} — ${outcome}]`;
  if (to > from) draft.put("span", `task-${key}`, { from, to, kind, text } satisfies Span as unknown as Json);
  return { task: `task_${Number(key)}`, depth };
}

const noEpoch: Epoch = { number: 1, placed: 0, changed: 0, told: 0, warning: "none" };

export function readEpoch(state: State): Epoch {
  return (state.resident.get("epoch/current") as unknown as Epoch | undefined) ?? noEpoch;
}

export function readSnapshot(state: State): EpochSnapshot {
  const frozen = state.resident.get("epoch/snapshot") as unknown as EpochSnapshot | undefined;
  return frozen ?? { notepad: state.row.notepad ?? "", blocks: [] };
}

export function readSpans(state: State): [key: string, span: Span][] {
  const spans = listResident(state, "span") as unknown as [string, Span][];
  return spans.sort(([, a], [, b]) => a.from - b.from || b.to - a.to);
}

export function readCleared(state: State): [id: string, cleared: ClearedResult][] {
  return listResident(state, "cleared") as unknown as [string, ClearedResult][];
}

export function readInjections(state: State): Injection[] {
  return listResident(state, "injection").map(([, value]) => value as unknown as Injection);
}

/** Outermost first. */
export function readTasks(state: State): [key: string, task: OpenTask][] {
  return listResident(state, "task") as unknown as [string, OpenTask][];
}
