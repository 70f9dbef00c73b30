import { HoldfastError } from "../errors.ts";
import type { Draft } from "./draft.ts";
import type { JournalEntry, LoggedOperation } from "./journal.ts";
import type { Environment, Handlers } from "./operations.ts";
import type { RecordKind } from "./records.ts";
import type { Change, RecordChange, State, TextTarget } from "./state.ts";
import { applySplice, type Splice } from "./text.ts";

/** Undoes the entry of one revision. `planUndo` derives the inverse from the journal. */
export type UndoOperation = { type: "undo"; revision: number; inverse: Change[] };

export type UndoResult = { undone: number };

/** Constraints that a subject places on undo. */
export interface UndoRules {
  /** Whether a text that undo makes longer is still within its limit. */
  fits?: Partial<Record<TextTarget, (text: string, environment: Environment) => boolean>>;
  /** Kinds that need more than restoring the old value. */
  records?: {
    [Kind in RecordKind]?: (draft: Draft, change: Extract<RecordChange, { kind: Kind }>) => void;
  };
  /** Throws if the draft, with the whole entry undone, breaks a rule of the subject. */
  check?(draft: Draft, state: State, operation: UndoOperation, environment: Environment): void;
}

/**
 * The inverse of an entry, given all later entries in order. Text edits are shifted to the text's current
 * position; a later edit of the same text, or of the same record, is a conflict.
 */
export function planUndo(entry: JournalEntry, later: readonly JournalEntry[]): UndoOperation {
  if (entry.changes.some((change) => change.type === "forked")) {
    throw cannotUndo(entry.revision, "it forked the session, and a fork cannot be undone");
  }
  if (entry.changes.some((change) => change.type === "record" && change.kind === "lock")) {
    throw cannotUndo(entry.revision, "only a person may lock or unlock a passage");
  }
  const inverse: Change[] = [];
  for (const change of entry.changes.toReversed()) {
    switch (change.type) {
      case "text": {
        const inverted: Splice = { at: change.at, removed: change.inserted, inserted: change.removed };
        const moved = rebase(inverted, change.target, entry, later);
        inverse.push({
          type: "text",
          target: change.target,
          ...moved,
          ...(change.first ? { unused: true } : {}),
        });
        break;
      }
      case "record":
        // Who wrote what follows from the texts that undo brings back.
        if (change.kind !== "origin") inverse.push(invertRecord(change));
        break;
      case "count":
        inverse.push({ ...change, by: -change.by });
        break;
      case "field":
        inverse.push({ ...change, before: change.after, after: change.before });
        break;
      case "mark":
      case "forked":
        break;
    }
  }
  return { type: "undo", revision: entry.revision, inverse };
}

function invertRecord(change: RecordChange): RecordChange {
  return { ...change, before: change.after, after: change.before } as RecordChange;
}

/** The `undo` operation, under the rules of every subject. */
export function undoOperations(rules: readonly UndoRules[]): Handlers<UndoOperation, UndoResult> {
  return {
    undo(draft, operation, state, environment) {
      for (const change of operation.inverse)
        undoChange(draft, operation.revision, change, environment, rules);
      for (const { check } of rules) check?.(draft, state, operation, environment);
      return { result: { undone: operation.revision }, warnings: [] };
    },
  };
}

function undoChange(
  draft: Draft,
  revision: number,
  change: Change,
  environment: Environment,
  rules: readonly UndoRules[],
): void {
  switch (change.type) {
    case "text": {
      const text = draft.text(change.target);
      if (text.slice(change.at, change.at + change.removed.length) !== change.removed)
        throw cannotUndo(revision, "the text it wrote has changed since");
      const next = applySplice(text, change);
      const isOver = rules.some(({ fits }) => fits?.[change.target]?.(next, environment) === false);
      if (next.length > text.length && isOver)
        throw cannotUndo(revision, "the text has grown since and would exceed its limit");
      draft.setText(change.target, next, change.unused);
      break;
    }
    case "record":
      undoRecord(draft, revision, change, rules);
      break;
    case "count":
      draft.count(change.counter, change.by);
      break;
    case "field":
      draft.changes.push(change);
      break;
    case "mark":
    case "forked":
      break;
  }
}

function undoRecord(draft: Draft, revision: number, change: RecordChange, rules: readonly UndoRules[]): void {
  const special = rules.map(({ records }) => records?.[change.kind]).find((undo) => undo !== undefined);
  if (special) {
    special(draft, change as never);
    return;
  }
  const isSame = JSON.stringify(draft.record(change.kind, change.key)) === JSON.stringify(change.before);
  if (!isSame) throw cannotUndo(revision, `${change.kind} ${change.key} has changed since`);
  draft.put(change.kind, change.key, change.after);
}

function isUndo(operation: LoggedOperation): operation is UndoOperation {
  return operation.type === "undo";
}

/** Shifts a splice past the later edits of the same text. */
function rebase(
  splice: Splice,
  target: TextTarget,
  entry: JournalEntry,
  later: readonly JournalEntry[],
): Splice {
  let at = splice.at;
  const length = splice.removed.length;
  for (const next of editsInEffect(later, target)) {
    for (const change of next.changes) {
      if (!isEditOf(change, target)) continue;
      // Which of two texts at one place came first cannot be told.
      const isSamePlace = length === 0 && change.at === at && change.removed === "";
      if (isSamePlace && change.inserted !== "")
        throw cannotUndo(entry.revision, `revision ${next.revision} put a text where it took one away`);
      if (change.at + change.removed.length <= at) at += change.inserted.length - change.removed.length;
      else if (change.at < at + length) {
        throw cannotUndo(entry.revision, `revision ${next.revision} changed the same text`);
      }
    }
  }
  return { at, removed: splice.removed, inserted: splice.inserted };
}

/** The entries that edited a text, without those that the next edit of it undid. */
function editsInEffect(later: readonly JournalEntry[], target: TextTarget): JournalEntry[] {
  const edits: JournalEntry[] = [];
  for (const entry of later) {
    if (!entry.changes.some((change) => isEditOf(change, target))) continue;
    const { operation } = entry;
    if (isUndo(operation) && edits.at(-1)?.revision === operation.revision) edits.pop();
    else edits.push(entry);
  }
  return edits;
}

function isEditOf(change: Change, target: TextTarget): change is Extract<Change, { type: "text" }> {
  return change.type === "text" && change.target === target;
}

export function cannotUndo(revision: number, reason: string): HoldfastError {
  return new HoldfastError(
    "cannot_undo",
    `Revision ${revision} cannot be undone: ${reason}. Nothing was changed. Undo the later change first, or edit by hand.`,
    { data: { revision } },
  );
}
