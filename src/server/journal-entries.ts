import { type DiffLine, diffLines } from "../engine/diff.ts";
import type { Json } from "../engine/json.ts";
import { type Change, readText, revertChanges, type State } from "../engine/state.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import type { Reply } from "./api.ts";
import { describeOperation, isMemoryOperation } from "./describe-operation.ts";
import { linesOfMessage } from "./messages.ts";

type EntryView = Reply<"journal">["entries"][number];
type ChangeView = EntryView["changes"][number];
type Line = ChangeView["lines"][number];

/** How much of an entry is shown: a few lines in a list, nearly all of it by itself. */
export interface Room {
  changes: number;
  lines: number;
  lineCharacters: number;
}

export const listRoom: Room = { changes: 10, lines: 24, lineCharacters: 400 };
export const fullRoom: Room = { changes: 500, lines: 4_000, lineCharacters: 20_000 };

/** Unchanged lines shown around a change. */
const around = 2;

/** An entry as a person reads it. `after` is the state that it left. */
export function viewEntry(entry: JournalEntry, after: State, room: Room): EntryView {
  const { revision, at, actor, surface, operation } = entry;
  const isMemory = isMemoryOperation(operation.type);
  const shown = entry.changes.filter(isWorthShowing);
  return {
    revision,
    at,
    actor,
    surface,
    type: operation.type,
    summary: describeOperation(operation),
    isMemory,
    undoes: operation.type === "undo" ? operation.revision : null,
    undoneBy: null,
    canUndo: isMemory,
    changes: viewChanges(shown.slice(0, room.changes), entry, after, room),
  };
}

function viewChanges(
  changes: readonly Change[],
  entry: JournalEntry,
  after: State,
  room: Room,
): ChangeView[] {
  // Most entries change no text, and those need no second state.
  const before = changes.some(({ type }) => type === "text") ? revertChanges(after, entry.changes) : after;
  const seen = new Set<string>();
  return changes.flatMap((change) => {
    if (change.type === "text") {
      if (seen.has(change.target)) return [];
      seen.add(change.target);
      const [old, fresh] = [readText(before, change.target), readText(after, change.target)];
      return [
        {
          subject: textNames[change.target] ?? change.target.replace("space/", ""),
          key: null,
          kind: "changed" as const,
          ...viewLines(old, fresh, room),
        },
      ];
    }
    if (change.type === "field") {
      return [
        {
          subject: change.field,
          key: null,
          kind: "changed" as const,
          ...viewLines(change.before ?? "", change.after ?? "", room),
        },
      ];
    }
    return change.type === "record" ? [viewRecord(change, room)] : [];
  });
}

const textNames: Partial<Record<string, string>> = {
  "space/notes": "scratchpad notes",
  "space/plan": "plan",
};

function isWorthShowing({ type, ...change }: Change): boolean {
  if (type === "record") return (change as { kind: string }).kind !== "tag";
  return type === "text" || type === "field";
}

function viewRecord(
  { kind, key, before, after }: Extract<Change, { type: "record" }>,
  room: Room,
): ChangeView {
  const textOf = (value: Json) =>
    kind === "message" && value !== null ? linesOfMessage(value) : recordText(value);
  const what = before === null ? "added" : after === null ? "removed" : "changed";
  return { subject: kind, key, kind: what, ...viewLines(textOf(before), textOf(after), room) };
}

/** A record as lines: its text if it has one, then its other fields. */
function recordText(value: Json): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value !== "object" || Array.isArray(value)) return JSON.stringify(value);
  const { content, text, tags, ...rest } = value;
  const isNote = typeof content === "string";
  const lines = [
    ...(isNote ? [content] : []),
    ...(typeof text === "string" ? [text] : []),
    ...(Array.isArray(tags) && tags.length > 0 ? [`tags: ${tags.join(", ")}`] : []),
    // A note's times change with every edit and say nothing.
    ...(isNote ? [] : Object.entries(rest).map(([name, field]) => `${name}: ${JSON.stringify(field)}`)),
  ];
  return lines.join("\n");
}

function viewLines(before: string, after: string, room: Room): Pick<ChangeView, "lines" | "cut"> {
  const lines = foldUnchanged(diffLines(before, after));
  const shown = lines.slice(0, room.lines).map(
    ({ kind, text }): Line => ({
      kind,
      text:
        text.length > room.lineCharacters ? `${text.slice(0, room.lineCharacters).toWellFormed()}…` : text,
    }),
  );
  const isCut = lines.length > room.lines || lines.some(({ text }) => text.length > room.lineCharacters);
  return { lines: shown, cut: isCut };
}

/** Long stretches without a change become one line that says how long they are. */
function foldUnchanged(lines: readonly DiffLine[]): Line[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, index) => {
    if (kind !== "same") near.fill(1, Math.max(0, index - around), index + around + 1);
  });
  const folded: Line[] = [];
  let hidden = 0;
  lines.forEach((line, index) => {
    if (near[index]) {
      if (hidden > 0) folded.push({ kind: "gap", text: String(hidden) });
      hidden = 0;
      folded.push(line);
    } else hidden++;
  });
  if (hidden > 0) folded.push({ kind: "gap", text: String(hidden) });
  return folded;
}
