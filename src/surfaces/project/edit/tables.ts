import { estimateTokens } from "../../../context/estimate-tokens.ts";
import { HoldfastError } from "../../../errors.ts";
import type { LineEdit } from "../notes-md/lines.ts";
import { contextFields, type Notes, tableOf } from "../notes-md/parse.ts";
import { type TableKey, tableColumns } from "../notes-md/sections.ts";
import { columnOf, replaceCell } from "../notes-md/table.ts";
import type { Caller, Project } from "../project.ts";
import { cutTo } from "../recover/fit-lines.ts";
import { parseReference, renderReference } from "../verify/references.ts";
import { projectPath, readSource } from "../verify/working-tree.ts";
import type { Planned } from "./change-notes.ts";
import { addItem, addRow, addSection, replaceLines } from "./place-lines.ts";
import { buildPiece, isOneItem, isOneRow, requireLine } from "./written-pieces.ts";

/** Builds a table row; the Markdown parser checks it before it is written. */
export function safeRow(notes: Notes, key: TableKey, values: Record<string, string>): LineEdit {
  const columns = tableOf(notes, key)?.header.cells.length ?? tableColumns[key].length;
  return buildPiece(
    values,
    (safe) => addRow(notes, key, safe),
    (edit) => isOneRow(edit.insert.findLast((line) => line !== "") ?? "", columns),
  );
}

/** The line, from 1, of the row that an edit adds. */
export function rowLine(edit: LineEdit): number {
  return edit.at + edit.insert.findLastIndex((line) => line !== "") + 1;
}

interface TrackedRef {
  reference: string;
  line: number;
  /** Whether an existing row was updated. */
  known: boolean;
}

export interface RefInput {
  path: string;
  lines?: string | undefined;
  purpose: string;
}

/** Tracks a location in the code; updates the row if it is already tracked. */
export function trackRef(project: Project, input: RefInput): TrackedRef {
  const purpose = requireLine(input.purpose, "purpose");
  const { path, line } = projectPath(project.file.root, input.path);
  const [from, to] = readRange(input.lines, input.path, line);
  const source = readSource(project.file.root, path);
  if (source.status !== "read" && source.status !== "directory") {
    throw new HoldfastError(
      "not_found",
      `${path} ${source.status === "missing" ? "does not exist" : "cannot be read"} in the project. Nothing was changed. Use the path of an existing file.`,
      { data: { path } },
    );
  }
  if (from !== undefined && source.status === "read" && (to ?? from) > source.lines) {
    throw new HoldfastError(
      "invalid_input",
      `${path} has ${source.lines} lines, so there are no lines ${from}-${to ?? from}. Nothing was changed.`,
      { data: { path, lines: source.lines } },
    );
  }
  const reference = renderReference(path, from, to);
  return project.change("track_ref", (notes): Planned<TrackedRef> => {
    const table = tableOf(notes, "identifiers");
    const column = table ? columnOf(table, "identifier") : -1;
    const known = table?.rows.find(
      ({ cells }) => parseReference(cells[column]?.text ?? "").text === reference && column !== -1,
    );
    const values = { identifier: reference, purpose, "last verified": project.now() };
    const row = safeRow(notes, "identifiers", values);
    if (!known) return { edits: [row], result: { reference, line: rowLine(row), known: false } };
    const text = row.insert.findLast((each) => each !== "") ?? "";
    const edit = replaceLines(notes, known.line, known.line + 1, [text]);
    return { edits: [edit], result: { reference, line: known.line + 1, known: true } };
  });
}

function readRange(
  lines: string | undefined,
  path: string,
  line: number | undefined,
): [from: number | undefined, to: number | undefined] {
  if (lines === undefined) {
    const { to } = parseReference(path);
    return [line, to];
  }
  const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(lines.trim()) ?? [];
  if (from !== undefined && Number(from) >= 1 && (to === undefined || Number(to) >= Number(from)))
    return [Number(from), to === undefined ? undefined : Number(to)];
  throw new HoldfastError(
    "invalid_input",
    `"lines" must be a line such as 45 or a range such as 45-67 (got ${JSON.stringify(lines)}). Nothing was changed.`,
    { data: { lines } },
  );
}

export interface HandoffInput {
  summary: string;
  /** What to do next; becomes the reasoning state. */
  next?: string | undefined;
  /** What is being worked on; becomes the current bead. */
  task?: string | undefined;
}

/** Adds a row to the hand-over log and updates the active context. */
export function logHandoff(
  project: Project,
  input: HandoffInput,
  caller: Caller,
  operation = "log_handoff",
): { timestamp: string; line: number } {
  const summary = requireLine(input.summary, "summary");
  const now = project.now();
  return project.change(operation, (notes) => {
    const row = safeRow(notes, "log", {
      timestamp: now,
      agent: caller.agent?.trim() ? requireLine(caller.agent, "agent") : "agent",
      summary: caller.session === undefined ? summary : `${summary} (session ${caller.session})`,
    });
    if (operation === "checkpoint" && isLogged(notes, row, now))
      return { edits: [], result: { timestamp: now, line: rowLine(row) } };
    const state = input.next ?? (operation === "log_handoff" ? summary : undefined);
    const context = updateContext(notes, {
      ...(input.task === undefined ? {} : { "Current Bead": shortened(input.task) }),
      "Last Checkpoint": now,
      ...(state === undefined ? {} : { "Reasoning State": shortened(state) }),
    });
    const added = context.reduce(
      (sum, { at, remove, insert }) => (at <= row.at ? sum + insert.length - remove : sum),
      0,
    );
    return { edits: [...context, row], result: { timestamp: now, line: rowLine(row) + added } };
  });
}

/** A host may report the same end twice, also at the same moment. */
const sameReportMilliseconds = 60_000;

/** Whether the log has this row already, written a moment ago. */
function isLogged(notes: Notes, { insert }: LineEdit, now: string): boolean {
  const table = tableOf(notes, "log");
  const column = table ? columnOf(table, "timestamp") : -1;
  const written = insert.findLast((line) => line !== "") ?? "";
  return (table?.rows ?? []).some(({ line, cells }) => {
    const at = cells[column]?.text ?? "";
    const age = Date.parse(now) - Date.parse(at);
    const sameTime = (notes.lines.texts[line] ?? "").replace(at, now);
    return age >= 0 && age < sameReportMilliseconds && sameTime === written;
  });
}

/** Max tokens: the active context is read first after a reset. The hand-over row has the full text. */
const maxStateTokens = 45;

function shortened(text: string): string {
  const line = requireLine(text.slice(0, 1_000).toWellFormed(), "next");
  return (
    cutTo("", line, maxStateTokens, estimateTokens)?.text ?? line.slice(0, maxStateTokens).toWellFormed()
  );
}

/** Sets `**Name**: value` items; leaves the others unchanged. */
export function updateContext(notes: Notes, values: Record<string, string>): LineEdit[] {
  const lines = Object.entries(values).map(([name, value]) => ({
    name,
    line: buildPiece(
      { value: requireLine(value, name) },
      (safe) => `- **${name}**: ${safe.value}`,
      isOneItem,
    ),
  }));
  if (!notes.sections.has("context")) {
    const edit = addSection(notes, "context", []);
    const insert = edit.insert.map(
      (text) => lines.find(({ name }) => text.startsWith(`- **${name}**:`))?.line ?? text,
    );
    const missing = lines.filter(({ name }) => !insert.some((text) => text.startsWith(`- **${name}**:`)));
    const last = insert.findLastIndex((text) => text.startsWith("- **"));
    return [{ ...edit, insert: insert.toSpliced(last + 1, 0, ...missing.map(({ line }) => line)) }];
  }
  const fields = contextFields(notes);
  const added: string[] = [];
  const edits = lines.flatMap(({ name, line }) => {
    const known = fields.get(name.toLowerCase())?.item;
    if (!known) added.push(line);
    return known ? [replaceLines(notes, known.line, known.textEnd, [line])] : [];
  });
  if (added.length === 0) return edits;
  const edit = addItem(notes, "context", added[0] ?? "");
  const at = edit.insert.indexOf(added[0] ?? "");
  return [...edits, { ...edit, insert: edit.insert.toSpliced(at, 1, ...added) }];
}

/** Sets one column of several rows without changing any other byte. */
export function setCells(
  notes: Notes,
  key: TableKey,
  column: string,
  values: ReadonlyMap<number, string>,
): LineEdit[] {
  const table = tableOf(notes, key);
  const index = table ? columnOf(table, column) : -1;
  if (!table || index === -1) return [];
  return table.rows.flatMap(({ line, cells }) => {
    const [value, cell] = [values.get(line), cells[index]];
    if (value === undefined || !cell || cell.text === value) return [];
    return [replaceLines(notes, line, line + 1, [replaceCell(notes.lines.texts[line] ?? "", cell, value)])];
  });
}
