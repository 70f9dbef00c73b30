import { HoldfastError } from "../errors.ts";
import { checkLocks } from "../surfaces/knowledge/system-prompt.ts";
import type { Draft } from "./draft.ts";
import type { JournalEntry } from "./journal.ts";
import type { Environment, Outcome } from "./operations.ts";
import { type Change, type Json, listResident, type State, type TextTarget } from "./state.ts";
import { applySplice, isLongerThan, type Splice } from "./text.ts";

/** Takes back the entry of one revision. The inverse was planned from the journal, see `planUndo`. */
export type UndoOperation = { type: "undo"; revision: number; inverse: Change[] };

export type UndoResult = { undone: number };

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
        inverse.push({ ...change, before: change.after, after: change.before });
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

export function applyUndo(
  draft: Draft,
  state: State,
  operation: UndoOperation,
  environment: Environment,
): Outcome<UndoResult> {
  for (const change of operation.inverse) {
    switch (change.type) {
      case "text": {
        const text = draft.text(change.target);
        if (text.slice(change.at, change.at + change.removed.length) !== change.removed) {
          throw cannotUndo(operation.revision, `the text it wrote has been changed since`);
        }
        const next = applySplice(text, change);
        if (next.length > text.length && !fits(change.target, next, environment)) {
          throw cannotUndo(
            operation.revision,
            "the text would be over its limit with what has been written since",
          );
        }
        draft.setText(change.target, next, change.unused);
        break;
      }
      case "record":
        undoRecord(draft, operation.revision, change);
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
  checkRefs(draft, state, operation, environment.limits.refs);
  checkLocks(draft, state);
  return { result: { undone: operation.revision }, warnings: [] };
}

/** Undo keeps the budgets too. The space `notes` has two, for its two kinds of call. */
function fits(target: TextTarget, text: string, { limits, countTokens }: Environment): boolean {
  if (target === "notepad") return !isLongerThan(text, limits.notepadCharacters);
  if (target === "space/system") return !isLongerThan(text, limits.systemPromptCharacters);
  if (target === "space/plan") return !isLongerThan(text, limits.spacePlanCharacters);
  return !isLongerThan(text, limits.spaceNotesCharacters) || countTokens(text) <= limits.scratchpadTokens;
}

function checkRefs(draft: Draft, state: State, { revision, inverse }: UndoOperation, limit: number): void {
  const touched = inverse.flatMap((change) =>
    change.type === "record" && change.kind === "ref" ? [change.key] : [],
  );
  if (touched.length === 0) return;
  const before = listResident(state, "ref").map(([key]) => key);
  const refs = [...new Set([...before, ...touched])]
    .map((key) => draft.record("ref", key))
    .filter((ref) => ref !== null);
  if (new Set(refs).size < refs.length)
    throw cannotUndo(revision, "a ref that it would bring back is there again");
  if (refs.length > Math.max(limit, before.length))
    throw cannotUndo(revision, `there would be more than ${limit} refs`);
}

/** A tag's record is a count shared by many notes: what is undone is the step, not the number. */
function undoRecord(draft: Draft, revision: number, change: Extract<Change, { type: "record" }>): void {
  const current = draft.record(change.kind, change.key);
  if (change.kind === "tag") {
    const notes = tagNotes(current) + tagNotes(change.after) - tagNotes(change.before);
    const name = tagName(current) ?? tagName(change.after) ?? tagName(change.before) ?? change.key;
    const wasCounted = (change.before === null ? -1 : 0) + (change.after === null ? 1 : 0);
    const isCounted = (current === null ? -1 : 0) + (notes <= 0 ? 1 : 0);
    draft.put("tag", change.key, notes > 0 ? { name, notes } : null);
    // The planned count assumed the same step as then; correct it by what differs now.
    draft.count("tags", wasCounted - isCounted);
    return;
  }
  if (!sameJson(current, change.before)) {
    throw cannotUndo(revision, `${change.kind} ${change.key} has been changed since`);
  }
  draft.put(change.kind, change.key, change.after);
}

function tagNotes(value: Json): number {
  return value === null ? 0 : (value as { notes: number }).notes;
}

function tagName(value: Json): string | undefined {
  return value === null ? undefined : (value as { name: string }).name;
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
    if (operation.type === "undo" && standing.at(-1)?.revision === operation.revision) standing.pop();
    else standing.push(entry);
  }
  return standing;
}

function isEditOf(change: Change, target: TextTarget): change is Extract<Change, { type: "text" }> {
  return change.type === "text" && change.target === target;
}

function sameJson(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function cannotUndo(revision: number, reason: string): HoldfastError {
  return new HoldfastError(
    "cannot_undo",
    `Revision ${revision} cannot be undone: ${reason}. Nothing was changed. Undo the later change first, or edit by hand.`,
    { data: { revision } },
  );
}
