import { type DiffLine, diffLines } from "../engine/diff.ts";
import type { Json } from "../engine/json.ts";
import { type Change, readText, revertChanges, type State } from "../engine/state.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import type { Reply } from "./api.ts";
import { describeEntry, isMemoryOperation } from "./describe-entry.ts";
import { linesOfMessage } from "./messages.ts";

type EntryView = Omit<Reply<"history">["entries"][number], "compaction">;
type ChangeView = EntryView["changes"][number];
type Line = ChangeView["lines"][number];

/** How much of an entry to show: a few lines in a list, nearly everything on its own. */
export interface ViewLimits {
  changes: number;
  lines: number;
  lineCharacters: number;
}

export const listLimits: ViewLimits = { changes: 10, lines: 24, lineCharacters: 400 };
export const fullLimits: ViewLimits = { changes: 500, lines: 4_000, lineCharacters: 20_000 };

/** Unchanged lines to show around a change. */
const contextLines = 2;

/** An entry for display. `after` is the state right after it. */
export function viewEntry(entry: JournalEntry, after: State, limits: ViewLimits): EntryView {
  const { revision, at, actor, surface, operation } = entry;
  const isMemory = isMemoryOperation(operation.type);
  const shown = entry.changes.filter(isWorthShowing);
  return {
    revision,
    at,
    actor,
    surface,
    type: operation.type,
    summary: describeEntry(entry, after),
    isMemory,
    undoes: operation.type === "undo" ? operation.revision : null,
    undoneBy: null,
    canUndo: isMemory,
    changes: viewChanges(shown.slice(0, limits.changes), entry, after, limits),
  };
}

function viewChanges(
  changes: readonly Change[],
  entry: JournalEntry,
  after: State,
  limits: ViewLimits,
): ChangeView[] {
  // Most entries change no text and need no second state.
  const before = changes.some(({ type }) => type === "text") ? revertChanges(after, entry.changes) : after;
  const seen = new Set<string>();
  return changes.flatMap((change) => {
    if (change.type === "text") {
      if (seen.has(change.target)) return [];
      seen.add(change.target);
      const [old, current] = [readText(before, change.target), readText(after, change.target)];
      return [
        {
          subject: textNames[change.target] ?? change.target.replace("space/", ""),
          key: null,
          kind: "changed" as const,
          ...viewLines(old, current, limits),
        },
      ];
    }
    if (change.type === "field") {
      return [
        {
          subject: change.field,
          key: null,
          kind: "changed" as const,
          ...viewLines(change.before ?? "", change.after ?? "", limits),
        },
      ];
    }
    return change.type === "record" ? [viewRecord(change, limits)] : [];
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
  limits: ViewLimits,
): ChangeView {
  const textOf = (value: Json) =>
    kind === "message" && value !== null ? linesOfMessage(value) : recordText(value);
  const what = before === null ? "added" : after === null ? "removed" : "changed";
  return { subject: kind, key, kind: what, ...viewLines(textOf(before), textOf(after), limits) };
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
    // A note's timestamps change with every edit and are only noise here.
    ...(isNote ? [] : Object.entries(rest).map(([name, field]) => `${name}: ${JSON.stringify(field)}`)),
  ];
  return lines.join("\n");
}

function viewLines(before: string, after: string, limits: ViewLimits): Pick<ChangeView, "lines" | "cut"> {
  const lines = foldUnchanged(diffLines(before, after));
  const shown = lines.slice(0, limits.lines).map(
    ({ kind, text }): Line => ({
      kind,
      text:
        text.length > limits.lineCharacters
          ? `${text.slice(0, limits.lineCharacters).toWellFormed()}…`
          : text,
    }),
  );
  const isCut = lines.length > limits.lines || lines.some(({ text }) => text.length > limits.lineCharacters);
  return { lines: shown, cut: isCut };
}

/** Replaces long unchanged stretches with one line that holds their length. */
function foldUnchanged(lines: readonly DiffLine[]): Line[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, index) => {
    if (kind !== "same") near.fill(1, Math.max(0, index - contextLines), index + contextLines + 1);
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
