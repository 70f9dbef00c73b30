import { HoldfastError } from "../errors.ts";
import type { Draft } from "./draft.ts";
import type { JournalEntry, LoggedOperation } from "./journal.ts";
import type { Environment, Handlers } from "./operations.ts";
import type { RecordKind } from "./records.ts";
import type { Change, RecordChange, State, TextTarget } from "./state.ts";
import { applySplice, type Splice } from "./text.ts";

/** Takes back the entry of one revision. The inverse was planned from the journal, see `planUndo`. */
export type UndoOperation = { type: "undo"; revision: number; inverse: Change[] };

export type UndoResult = { undone: number };

/** What undo must respect of one subject. */
export interface UndoRules {
  /** Whether a text that undo makes longer is still within its budget. */
  fits?: Partial<Record<TextTarget, (text: string, environment: Environment) => boolean>>;
  /** Records that are not simply put back as they were. */
  records?: {
    [Kind in RecordKind]?: (draft: Draft, change: Extract<RecordChange, { kind: Kind }>) => void;
  };
  /** Throws when the draft, with everything taken back, breaks a rule of the subject. */
  check?(draft: Draft, state: State, operation: UndoOperation, environment: Environment): void;
}

/**
 * What would take an entry back, given what came after it (in order). Text edits are moved to where their
 * text stands now; a later edit of the same stretch, or of the same record, is a conflict.
 */
export function planUndo(entry: JournalEntry, later: readonly JournalEntry[]): UndoOperation {
  if (entry.changes.some((change) => change.type === "forked")) {
    throw cannotUndo(entry.revision, "a fork was taken there, and the fork stays");
  }
  if (entry.changes.some((change) => change.type === "record" && change.kind === "lock")) {
    throw cannotUndo(entry.revision, "it is for a person to lock or unlock a passage");
  }
  const inverse: Change[] = [];
  for (const change of entry.changes.toReversed()) {
    switch (change.type) {
      case "text": {
        const own: Splice = { at: change.at, removed: change.inserted, inserted: change.removed };
        const moved = moveThrough(own, change.target, entry, later);
        inverse.push({
          type: "text",
          target: change.target,
          ...moved,
          ...(change.first ? { unused: true } : {}),
        });
        break;
      }
      case "record":
        inverse.push(inverted(change));
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

function inverted(change: RecordChange): RecordChange {
  return { ...change, before: change.after, after: change.before } as RecordChange;
}

/** The operation `undo`, under the rules of every subject. */
export function undoOperations(rules: readonly UndoRules[]): Handlers<UndoOperation, UndoResult> {
  return {
    undo(draft, operation, state, environment) {
      for (const change of operation.inverse) takeBack(draft, operation.revision, change, environment, rules);
      for (const { check } of rules) check?.(draft, state, operation, environment);
      return { result: { undone: operation.revision }, warnings: [] };
    },
  };
}

function takeBack(
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
        throw cannotUndo(revision, "the text it wrote has been changed since");
      const next = applySplice(text, change);
      const isOver = rules.some(({ fits }) => fits?.[change.target]?.(next, environment) === false);
      if (next.length > text.length && isOver)
        throw cannotUndo(revision, "the text would be over its limit with what has been written since");
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
  if (!isSame) throw cannotUndo(revision, `${change.kind} ${change.key} has been changed since`);
  draft.put(change.kind, change.key, change.after);
}

/** Whether an entry of the journal took another one back. */
function isUndo(operation: LoggedOperation): operation is UndoOperation {
  return operation.type === "undo";
}

function moveThrough(
  splice: Splice,
  target: TextTarget,
  entry: JournalEntry,
  later: readonly JournalEntry[],
): Splice {
  let at = splice.at;
  const length = splice.removed.length;
  for (const next of standingEdits(later, target)) {
    for (const change of next.changes) {
      if (!isEditOf(change, target)) continue;
      if (change.at + change.removed.length <= at) at += change.inserted.length - change.removed.length;
      else if (change.at < at + length) {
        throw cannotUndo(entry.revision, `revision ${next.revision} changed the same text`);
      }
    }
  }
  return { at, removed: splice.removed, inserted: splice.inserted };
}

/** The entries that edited a text, without those that were undone before anything else was done to it. */
function standingEdits(later: readonly JournalEntry[], target: TextTarget): JournalEntry[] {
  const standing: JournalEntry[] = [];
  for (const entry of later) {
    if (!entry.changes.some((change) => isEditOf(change, target))) continue;
    const { operation } = entry;
    if (isUndo(operation) && standing.at(-1)?.revision === operation.revision) standing.pop();
    else standing.push(entry);
  }
  return standing;
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
