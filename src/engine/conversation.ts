import { HoldfastError } from "../errors.ts";
import { Draft } from "./draft.ts";
import { learnedKey, messageKey } from "./messages.ts";
import type { Handlers, Outcome } from "./operations.ts";
import type {
  ClearedResult,
  CompactionTrigger,
  Epoch,
  Excerpt,
  Handoff,
  Learned,
  MemorySnapshotRecord,
  Receipt,
  Removed,
  ShownBlock,
  ShownChange,
  Span,
} from "./records.ts";
import { applyChanges, listResident, residentRecord, type State } from "./state.ts";

export type ConversationOperation =
  | ({ type: "context.open" } & MemorySnapshotRecord)
  | { type: "context.show"; before: number; blocks: ShownBlock[]; shownAt: number }
  | ({ type: "context.refresh"; before: number; notice: string } & MemorySnapshotRecord)
  | { type: "context.tell"; before: number; text: string }
  | { type: "context.warn"; trigger: CompactionTrigger; before: number; text: string }
  | { type: "context.skip_warning"; trigger: CompactionTrigger; reason: string }
  | { type: "context.handoff"; handoff: Handoff; removed: Removed }
  | { type: "context.clear"; results: ({ id: string } & ClearedResult)[] }
  | { type: "context.shorten"; parts: ({ key: string } & Excerpt)[] }
  | ({
      type: "context.compact";
      to: number;
      summary: string;
      notice: string;
      receipt: Receipt;
    } & MemorySnapshotRecord)
  | ({ type: "context.receipt"; receipt: Receipt } & MemorySnapshotRecord)
  | { type: "context.verify"; epoch: number; call: number; lacks: string[] };

export type ConversationResult = { epoch: number };

export const conversationOperations: Handlers<ConversationOperation, ConversationResult> = {
  "context.open"(draft, snapshot, state) {
    if (draft.record("epoch", "current") === null) openEpoch(draft, state, 1, snapshot);
    return epochOf(state);
  },
  "context.show"(draft, operation, state) {
    const epoch = readEpoch(state);
    const { before, blocks, shownAt } = operation;
    for (const block of blocks) addShownChange(draft, { before, ...block });
    draft.put("epoch", "current", { ...epoch, shownAt });
    return epochOf(state);
  },
  "context.refresh"(draft, operation, state) {
    const epoch = readEpoch(state);
    // The snapshot replaces the changes. A warning stays until its compaction.
    removeShownChanges(draft, state, ({ surface }) => epoch.warning !== "given" || surface !== "");
    draft.put("epoch", "snapshot", { blocks: operation.blocks });
    draft.put("epoch", "current", { ...epoch, shownAt: state.row.revision });
    addShownChange(draft, { before: operation.before, surface: "memory", text: operation.notice });
    return epochOf(state);
  },
  "context.tell"(draft, operation, state) {
    addShownChange(draft, noticeOf(operation.before, operation.text));
    return epochOf(state);
  },
  "context.warn"(draft, operation, state) {
    addShownChange(draft, noticeOf(operation.before, operation.text));
    draft.put("epoch", "current", { ...readEpoch(state), warning: "given" });
    return epochOf(state);
  },
  "context.skip_warning"(draft, { reason }, state) {
    draft.put("epoch", "current", { ...readEpoch(state), warning: "skipped", skipped: reason });
    return epochOf(state);
  },
  "context.handoff"(draft, { handoff, removed }, state) {
    const { number } = readEpoch(state);
    draft.put("handoff", String(number), handoff);
    draft.put("removed", String(number), removed);
    return inEpoch(number);
  },
  "context.clear"(draft, { results }, state) {
    for (const { id, ...cleared } of results) draft.put("cleared", id, cleared);
    return epochOf(state);
  },
  "context.shorten"(draft, { parts }, state) {
    for (const { key, ...excerpt } of parts) draft.put("excerpt", key, excerpt);
    return epochOf(state);
  },
  "context.compact"(draft, operation, state) {
    const epoch = readEpoch(state);
    compact(draft, state, operation, epoch);
    return inEpoch(epoch.number + 1);
  },
  "context.verify"(draft, { epoch, call, lacks }, state) {
    const receipt = draft.record("receipt", String(epoch));
    const isOpen = receipt !== null && !receipt.verified && !receipt.mismatch;
    const proof = lacks.length === 0 ? { verified: { call } } : { mismatch: { call, lacks } };
    if (isOpen) draft.put("receipt", String(epoch), { ...receipt, ...proof });
    return epochOf(state);
  },
  "context.receipt": (draft, operation, state) =>
    inEpoch(acceptReceipt(draft, state, operation, readEpoch(state))),
};

function inEpoch(epoch: number): Outcome<ConversationResult> {
  return { result: { epoch }, warnings: [] };
}

function epochOf(state: State): Outcome<ConversationResult> {
  return inEpoch(readEpoch(state).number);
}

function noticeOf(before: number, text: string): ShownChange {
  return { before, surface: "", text };
}

function addShownChange(draft: Draft, change: ShownChange): void {
  const number = draft.counter("lastShownChange") + 1;
  draft.mark("lastShownChange", number);
  draft.insert("shown", messageKey(number), change);
}

type CompactOperation = Extract<ConversationOperation, { type: "context.compact" }>;

/** Requires a handoff; replaces the span and writes its receipt in one commit. */
function compact(draft: Draft, state: State, operation: CompactOperation, epoch: Epoch): void {
  const { to, receipt } = operation;
  requireHandoff(draft, epoch);
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
      `This compaction of messages ${receipt.from} to ${to} was planned for epoch ${receipt.epoch}, but epoch ${epoch.number} begins with message ${from} of ${draft.counter("lastMessage")}. Nothing was removed. Plan the compaction again.`,
      { data: { epoch: epoch.number, from, to } },
    );
  }
  replaceSpan(draft, state, operation, epoch);
  draft.put("receipt", String(epoch.number), receipt);
}

function requireHandoff(draft: Draft, epoch: Epoch): void {
  if (draft.record("handoff", String(epoch.number)) !== null) return;
  throw new HoldfastError(
    "conflict",
    `Epoch ${epoch.number} has no handoff yet, so nothing can be removed from the context. Write the handoff first.`,
  );
}

type HostCompactOperation = Extract<ConversationOperation, { type: "context.receipt" }>;

/** The host has compacted its own conversation: require a handoff and end the epoch. */
function acceptReceipt(draft: Draft, state: State, operation: HostCompactOperation, epoch: Epoch): number {
  const { receipt } = operation;
  if (receipt.epoch !== epoch.number) {
    throw new HoldfastError(
      "conflict",
      `This receipt is for epoch ${receipt.epoch}, but the session is in epoch ${epoch.number}. Nothing was changed. Plan the compaction again.`,
      { data: { epoch: epoch.number } },
    );
  }
  requireHandoff(draft, epoch);
  removeShownChanges(draft, state);
  openEpoch(draft, state, epoch.number + 1, operation);
  draft.put("receipt", String(receipt.epoch), receipt);
  return epoch.number + 1;
}

function replaceSpan(
  draft: Draft,
  state: State,
  { to, summary, notice, blocks }: Omit<CompactOperation, "type" | "receipt">,
  epoch: Epoch,
): void {
  for (const [key, span] of readSpans(state)) if (span.to <= to) draft.remove("span", key);
  for (const [key, cleared] of readCleared(state)) if (cleared.message <= to) draft.remove("cleared", key);
  for (const [key, excerpt] of readExcerpts(state)) if (excerpt.message <= to) draft.remove("excerpt", key);
  removeShownChanges(draft, state);
  draft.put("span", "summary", { from: 1, to, kind: "summary", text: summary });
  openEpoch(draft, state, epoch.number + 1, { blocks });
  // The kept messages are older than the snapshot, as the notice tells the model.
  const last = draft.counter("lastMessage");
  if (to < last && notice !== "") addShownChange(draft, noticeOf(last + 1, notice));
}

/** The state after a compaction, to render the prompt the model would get. */
export function previewCompaction(
  state: State,
  compaction: Omit<CompactOperation, "type" | "receipt">,
): State {
  const draft = new Draft(state, new Map());
  replaceSpan(draft, state, compaction, readEpoch(state));
  return applyChanges(state, draft.changes);
}

/** The summary that replaces the older messages, if there is one. */
export function readSummarySpan(state: State): Span | undefined {
  return residentRecord(state, "span", "summary");
}

/** The last message that a summary replaces. */
export function summarisedUpTo(state: State): number {
  return readSummarySpan(state)?.to ?? 0;
}

/** The new snapshot includes the injected changes, so drop them. */
function removeShownChanges(
  draft: Draft,
  state: State,
  isOver: (change: ShownChange) => boolean = () => true,
): void {
  for (const [key, change] of listResident(state, "shown")) if (isOver(change)) draft.remove("shown", key);
}

function openEpoch(draft: Draft, state: State, number: number, { blocks }: MemorySnapshotRecord): void {
  draft.put("epoch", "snapshot", { blocks });
  draft.put("epoch", "current", { number, shownAt: state.row.revision, warning: "none", skipped: "" });
}

const noEpoch: Epoch = { number: 1, shownAt: 0, warning: "none", skipped: "" };

export function readEpoch(state: State): Epoch {
  return (residentRecord(state, "epoch", "current") as Epoch | undefined) ?? noEpoch;
}

/** The blocks of memory in the system prompt, as of its last snapshot. */
export function readSnapshot(state: State): readonly ShownBlock[] {
  const snapshot = residentRecord(state, "epoch", "snapshot") as MemorySnapshotRecord | undefined;
  return snapshot?.blocks ?? [];
}

export function readSpans(state: State): [key: string, span: Span][] {
  return listResident(state, "span").sort(([, a], [, b]) => a.from - b.from || b.to - a.to);
}

export function readCleared(state: State): [id: string, cleared: ClearedResult][] {
  return listResident(state, "cleared");
}

/** The shortened parts of messages by key; see `partKey`. */
export function readExcerpts(state: State): [key: string, excerpt: Excerpt][] {
  return listResident(state, "excerpt");
}

/** The measurements of earlier calls of a model. Undefined before its first. */
export function readLearned(state: State, model: string): Learned | undefined {
  return residentRecord(state, "learned", learnedKey(model));
}

export function readShownChanges(state: State): ShownChange[] {
  return listResident(state, "shown").map(([, change]) => change);
}
