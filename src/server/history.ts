import { type DiffLine, diffLines } from "../engine/diff.ts";
import { sayHistoryStart } from "../engine/history-start.ts";
import type { Json } from "../engine/json.ts";
import { type Change, readText, revertChanges, type State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import type { Reply } from "./api.ts";
import { factsOf } from "./compactions.ts";
import { describeEntry, isMemoryOperation } from "./describe-entry.ts";
import type { Handlers, ServerContext } from "./handlers.ts";
import { linesOfMessage } from "./messages.ts";
import type { TimeTravel } from "./time-travel.ts";

type Entries = Reply<"history">["entries"];

/** Entries that one page may skip in search of writes; the next page continues there. */
const maxScanned = 1_000;

export function historyHandlers({ memory, past }: ServerContext): Pick<Handlers, "history"> {
  return {
    async history({ params: { id }, query: { before, limit, all, full } }) {
      const session = await memory.resumeSession(id);
      const newest = (await session.state()).row.revision;
      const to = Math.min(newest, (before ?? Number.MAX_SAFE_INTEGER) - 1);
      const begins = (await session.historyStart()) ?? null;
      if (full && to < (begins?.revision ?? 1)) throw noRevision(session.id, to, begins);
      if (to < (begins?.revision ?? 1)) return { entries: [], newest, before: null, begins };
      const request = { to, limit: full ? 1 : limit, all: all || full, full };
      const { entries, oldest } = await readPage(session, past, request);
      markUndone(entries);
      const isEnd = oldest === undefined || oldest <= (begins?.revision ?? 1);
      return { entries, newest, before: isEnd ? null : oldest, begins };
    },
  };
}

interface PageRequest {
  to: number;
  limit: number;
  all: boolean;
  full: boolean;
}

/** Newest first. Reverts the state entry by entry, so that each entry shows the lines around its change. */
async function readPage(
  session: Session,
  past: TimeTravel,
  { to, limit, all, full }: PageRequest,
): Promise<{ entries: Entries; oldest: number | undefined }> {
  const now = await session.state();
  const maxScan = all ? limit : maxScanned;
  // The newest revision needs no time travel and no notes.
  let { state } = now.row.revision === to ? { state: now } : await past.at(session, to);
  const entries: Entries = [];
  let oldest: number | undefined;
  let scanned = 0;
  for (let from = to; scanned < maxScan && from >= 1 && entries.length < limit; from = (oldest ?? 1) - 1) {
    const batch = await session.history({ to: from, limit: Math.min(50, maxScan - scanned) });
    if (batch.length === 0) break;
    for (const entry of batch) {
      if (entries.length === limit) break;
      if (all || isStory(entry))
        entries.push({
          ...viewEntry(entry, state, full ? fullLimits : listLimits),
          compaction: compactionOf(entry),
        });
      state = revertChanges(state, entry.changes);
      oldest = entry.revision;
      scanned++;
    }
    await new Promise(setImmediate);
  }
  return { entries, oldest };
}

const events = ["context.warn", "context.skip_warning", "context.compact", "context.receipt"];

/** A write, a warning or a compaction. */
function isStory({ operation: { type } }: JournalEntry): boolean {
  return isMemoryOperation(type) || events.includes(type);
}

function compactionOf({ operation }: JournalEntry): Entries[number]["compaction"] {
  const isEnd = operation.type === "context.compact" || operation.type === "context.receipt";
  return isEnd ? factsOf(operation.receipt) : null;
}

/** Marks an entry as undone when the entry that undid it is on the same page. */
function markUndone(entries: Entries): void {
  const undoneBy = new Map<number, number>();
  for (const { revision, undoes } of entries)
    if (undoes !== null && !undoneBy.has(revision)) undoneBy.set(undoes, revision);
  for (const entry of entries) {
    entry.undoneBy = undoneBy.get(entry.revision) ?? null;
    if (entry.undoneBy !== null) entry.canUndo = false;
  }
}

function noRevision(id: string, revision: number, begins: Reply<"history">["begins"]): HoldfastError {
  const data = { revision, begins: begins?.revision ?? 1 };
  if (begins && revision > 0)
    return new HoldfastError("history_removed", sayHistoryStart(id, begins), { data });
  return new HoldfastError("not_found", `Session ${id} has no revision ${revision}.`, { data });
}

type EntryView = Omit<Reply<"history">["entries"][number], "compaction">;
type ChangeView = EntryView["changes"][number];
type Line = ChangeView["lines"][number];

/** How much of an entry to show: a few lines in a list, nearly everything on its own. */
interface ViewLimits {
  changes: number;
  lines: number;
  lineCharacters: number;
}

const listLimits: ViewLimits = { changes: 10, lines: 24, lineCharacters: 400 };
const fullLimits: ViewLimits = { changes: 500, lines: 4_000, lineCharacters: 20_000 };

/** Unchanged lines to show around a change. */
const contextLines = 2;

/** An entry for display. `after` is the state right after it. */
function viewEntry(entry: JournalEntry, after: State, limits: ViewLimits): EntryView {
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
