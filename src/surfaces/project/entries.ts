import { closestLine, oneLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { createBead } from "./beads.ts";
import { documentStructure } from "./discovery.ts";
import {
  addBlock,
  addItem,
  addRows,
  addSection,
  escapeStart,
  lastAdded,
  type Planned,
  replaceCell,
  replaceLines,
  requireLine,
} from "./edit.ts";
import {
  cellIn,
  columnOf,
  contextFields,
  type Entry,
  entriesOf,
  type Item,
  itemsOf,
  type LineEdit,
  maxLineLength,
  type Notes,
  newestEntries,
  readDecision,
  tableOf,
} from "./notes.ts";
import type { Caller, Project } from "./project.ts";
import { cutTo } from "./recover.ts";
import { codeSpan, parseReference, projectPath, readSource, renderReference } from "./references.ts";
import { isDateOrTime, partBudgets, type SectionKey, severities } from "./template.ts";

/** The answer of a tool or a command. */
export interface Answer {
  ok: true;
  text: string;
  line?: number | undefined;
  id?: string | undefined;
}

export const entryKinds = [
  "debt",
  "goal",
  "blocker",
  "question",
  "identifier",
  "context",
  "structure",
  "archive",
] as const;

export type EntryKind = (typeof entryKinds)[number];

export interface EntryInput {
  kind: EntryKind;
  text: string;
  detail?: string | undefined;
  done?: boolean | undefined;
  severity?: string | undefined;
  actionable?: boolean | undefined;
}

/** The fields of each kind besides its text, and an example. */
const fields: Record<EntryKind, { takes: (keyof EntryInput)[]; needs?: "detail"; example: object }> = {
  debt: {
    takes: ["severity", "actionable", "detail"],
    example: { text: "Missing input validation on /api/upload", severity: "HIGH", detail: "S03" },
  },
  goal: { takes: ["done", "detail"], example: { text: "Add login (blocking: OAuth setup)" } },
  blocker: { takes: ["done", "detail"], example: { text: "Waiting: credentials (ETA: 2026-01-15)" } },
  question: {
    takes: ["done", "detail"],
    example: { text: "Is the limit per client?", done: true, detail: "Yes" },
  },
  identifier: {
    takes: ["detail"],
    needs: "detail",
    example: { text: "src/auth/jwt.ts:45-67", detail: "Token validation" },
  },
  context: {
    takes: ["detail"],
    example: { text: "Refresh works, next test expiry", detail: "Token expiry" },
  },
  structure: {
    takes: ["detail"],
    needs: "detail",
    example: { text: "API routes", detail: "- src/routes.ts: all routes" },
  },
  archive: { takes: [], example: { text: "10" } },
};

/** Adds an entry to NOTES.md, or changes the one with the same text. */
export async function logEntry(project: Project, input: EntryInput, caller: Caller): Promise<Answer> {
  checkFields(input);
  const { kind, text, detail = "" } = input;
  switch (kind) {
    case "debt":
      return logDebt(project, input, caller);
    case "goal":
    case "blocker":
    case "question":
      return logItem(project, { ...input, kind });
    case "identifier":
      return trackIdentifier(project, text, detail);
    case "context":
      return logContext(project, text, input.detail);
    case "structure":
      return documentStructure(project, text, detail);
    case "archive":
      return archiveDecisions(project, text);
  }
}

function checkFields(input: EntryInput): void {
  const { kind, detail, done } = input;
  const { takes, needs, example } = fields[kind];
  const given = (["detail", "done", "severity", "actionable"] as const).filter(
    (name) => input[name] !== undefined,
  );
  const extra = given.find((name) => !takes.includes(name));
  const problem =
    extra !== undefined
      ? `An entry of the kind ${kind} does not take "${extra}"`
      : needs !== undefined && (detail ?? "").trim() === ""
        ? `An entry of the kind ${kind} needs "${needs}"`
        : takes.includes("done") && detail !== undefined && done !== true
          ? `An entry of the kind ${kind} takes "detail" only with "done"`
          : undefined;
  if (problem === undefined) return;
  throw new HoldfastError(
    "invalid_input",
    `${problem}. Nothing was changed. Call it like this: ${JSON.stringify({ kind, ...example })}.`,
    { data: { kind } },
  );
}

export interface DecisionInput {
  decision: string;
  rationale: string;
  evidence: { quote: string; path: string }[];
  scenarios: string[];
  title?: string | undefined;
}

/** Adds a complete entry to the decision log; the working tree must contain its evidence word for word. */
export function logDecision(project: Project, input: DecisionInput, caller: Caller): Answer {
  const timestamp = project.now();
  const title = requireLine(input.title ?? firstWords(input.decision), "title");
  const corrected: string[] = [];
  if (input.evidence.length === 0)
    throw incomplete('"evidence" is empty', "Quote at least one line of the code, with its path");
  if (input.scenarios.length < 3)
    throw incomplete(
      `"scenarios" has ${input.scenarios.length} of three test scenarios`,
      "Give the happy path, an edge case and an error",
    );
  const lines = [
    `#### ${timestamp} - ${title.replace(/ (?=#{1,40}$)/, " \\")}`,
    `**Decision**: ${requireLine(input.decision, "decision")}`,
    `**Rationale**: ${requireLine(input.rationale, "rationale")}`,
    `**Decided By**: ${nameOf(caller)}`,
    "**Evidence**:",
    ...input.evidence.flatMap((each) => quoteLines(project, each, corrected)),
    "**Test Scenarios**:",
    ...input.scenarios.map((text, index) => `${index + 1}. ${escapeStart(requireLine(text, "scenarios"))}`),
  ];
  const { line, known } = project.change((notes) => {
    const same = entriesOf(notes).find((entry) => isSameDecision(notes, entry, lines));
    if (same) return { edits: [], result: { line: same.line + 1, known: same.timestamp } };
    const edit = addBlock(notes, "decisions", lines);
    return { edits: [edit], result: { line: edit.at + edit.insert.indexOf(lines[0] ?? "") + 1, known: "" } };
  });
  if (known !== "") return { ok: true, text: `Already logged (${known}) on line ${line}.`, line, id: known };
  const notice = corrected.length === 0 ? "" : ` Corrected: ${corrected.join("; ")}.`;
  return {
    ok: true,
    text: `Logged the decision "${title}" (${timestamp}) on line ${line}.${notice}`,
    line,
    id: timestamp,
  };
}

/** A client that got no answer sends a decision again: only the time of its heading differs. */
function isSameDecision(notes: Notes, { line }: Entry, [heading = "", ...rest]: readonly string[]): boolean {
  const [first = "", ...others] = notes.lines.texts.slice(line, line + 1 + rest.length);
  const title = (text: string) => text.slice(text.indexOf(" - "));
  return title(first) === title(heading) && others.join("\n") === rest.join("\n");
}

function incomplete(problem: string, next: string): HoldfastError {
  return new HoldfastError("invalid_input", `${problem}. Nothing was changed. ${next}.`);
}

const maxQuoteLength = 500;

/** The lines of a quote as items of the evidence list, each with its location. */
function quoteLines(
  project: Project,
  { quote, path }: DecisionInput["evidence"][number],
  corrected: string[],
): string[] {
  const name = projectPath(project.file.root, path);
  const source = readSource(project.file.root, name.path);
  if (source.status !== "read") throw noSuchFile(name.path, source.status);
  const text = quote.replaceAll("\r\n", "\n").replace(/^\n+/, "").trimEnd();
  if (text.trim() === "") requireLine(text, "evidence.quote");
  const long = text.split("\n").find((each) => each.length > maxQuoteLength);
  if (long !== undefined) {
    throw new HoldfastError(
      "over_limit",
      `A line of the evidence has ${long.length} characters; the limit is ${maxQuoteLength}. Nothing was changed. Quote only the relevant part.`,
      { data: { path: name.path, limit: maxQuoteLength } },
    );
  }
  const found = source.find(text, name.from);
  if (found === undefined) {
    const close = closestLine(source.text, text);
    throw new HoldfastError(
      "text_not_found",
      `The quote ${JSON.stringify(text.slice(0, 80))} is not in ${name.path} word for word.${close ? ` The closest line is ${close.number}: ${JSON.stringify(close.line.trim().slice(0, 120))}.` : ""} Nothing was changed. Copy the line exactly.`,
      { data: { path: name.path } },
    );
  }
  if (name.from !== undefined && name.from !== found)
    corrected.push(`${name.path}: the quote is on line ${found}, not ${name.from}`);
  return text
    .split("\n")
    .flatMap((each, index) =>
      each.trim() === "" ? [] : [`- ${codeSpan(each.trim())} [${renderReference(name.path, found + index)}]`],
    );
}

function firstWords(text: string): string {
  const line = oneLine(text);
  const cut = /^.{1,60}(?=[ .,;:]|$)/u.exec(line)?.[0] ?? line.slice(0, 60);
  return cut.toWellFormed();
}

function noSuchFile(path: string, status: string): HoldfastError {
  return new HoldfastError(
    "not_found",
    `${path} ${status === "missing" ? "does not exist" : "cannot be read as a text file"} in the project. Nothing was changed. Use the path of an existing file.`,
    { data: { path } },
  );
}

/** Adds a row to the debt table under a new id; actionable debt also becomes an issue in Beads. */
async function logDebt(project: Project, input: EntryInput, caller: Caller): Promise<Answer> {
  const description = requireLine(input.text, "text");
  const severity = severityOf(input.severity ?? "MEDIUM");
  const sprint = input.detail?.trim() ? requireLine(input.detail, "detail") : "";
  const { id, line, isNew } = project.change((notes) => {
    const table = tableOf(notes, "debt");
    const known = table?.rows.find((row) => cellIn(table, row, "description") === description);
    if (table && known)
      return { edits: [], result: { id: cellIn(table, known, "id"), line: known.line + 1, isNew: false } };
    const next = nextDebtId(notes);
    const cells = { id: next, description, severity, "found by": nameOf(caller), sprint };
    const row = addRows(notes, "debt", [cells]);
    return { edits: [row], result: { id: next, line: lastAdded(row), isNew: true } };
  });
  if (!isNew) return { ok: true, text: `Already logged as ${id} on line ${line}.`, line, id };
  const text = `Logged ${id} on line ${line}.`;
  if (!input.actionable) return { ok: true, text, line, id };
  const issue = await createBead(project, { title: description, severity, reference: id });
  if ("problem" in issue)
    return { ok: true, text: `${text} No issue was created: ${issue.problem}.`, line, id };
  project.change((notes) => ({ edits: beadCell(notes, id, issue.id), result: undefined }));
  return { ok: true, text: `${text} Created Beads issue ${issue.id}.`, line, id };
}

function severityOf(text: string): (typeof severities)[number] {
  const known = severities.find((each) => each === text.trim().toUpperCase());
  if (known) return known;
  throw incomplete(
    `"severity" must be one of ${severities.join(", ")} (got ${JSON.stringify(text)})`,
    "Call again with one of them",
  );
}

function nameOf({ agent }: Caller): string {
  return agent?.trim() ? requireLine(agent, "agent") : "agent";
}

/** Writes the issue's id to its own column if the table has one, else after the description. */
function beadCell(notes: Notes, id: string, bead: string): LineEdit[] {
  const table = tableOf(notes, "debt");
  const row = table?.rows.find((each) => cellIn(table, each, "id") === id);
  const own = columnOf(table, "bead", "issue");
  const cell = row?.cells[own === -1 ? columnOf(table, "description") : own];
  if (!row || !cell) return [];
  const value = own === -1 ? `${cell.text} (${bead})` : bead;
  const text = replaceCell(notes.lines.texts[row.line] ?? "", cell, value);
  return [replaceLines(notes, row.line, row.line + 1, [text])];
}

/** The highest id anywhere in the file, also of a row that was removed and is still referred to. */
function nextDebtId({ text }: Notes): string {
  const ids = Array.from(text.matchAll(/\bTD-(\d{1,9})\b/g), ([, digits]) => Number(digits));
  const highest = ids.reduce((max, id) => Math.max(max, id), 0);
  return `TD-${String(highest + 1).padStart(3, "0")}`;
}

type ItemKind = "goal" | "blocker" | "question";

const sectionOf = { goal: "goals", blocker: "blockers", question: "questions" } as const;

/** Adds an item, or changes the one with the same text. With `done` it is closed. */
function logItem(project: Project, { kind, text, detail, done }: EntryInput & { kind: ItemKind }): Answer {
  const line = requireLine(text, "text");
  if (kind === "question") checkBudget(project, line, partBudgets.question, "text");
  // A question stays whole: what it has in parentheses belongs to it.
  const base = kind === "question" ? line : dropNote(line.replace(kind === "blocker" ? blockerKind : "", ""));
  const note = kind === "question" || base === "" ? "" : line.slice(line.indexOf(base) + base.length).trim();
  if (kind === "blocker") checkEta(note);
  const outcome = detail === undefined ? "" : requireLine(detail, "detail");
  return project.change((notes) => {
    const key = sectionOf[kind];
    const known = findItem(notes, key, base || line, done === true);
    if (done && !known) throw noSuchItem(notes, key, line);
    const start = startOf(kind, line, known, done);
    if (!known) {
      const added = `- ${start}${base || line}${note === "" ? "" : ` ${note}`}`;
      const edit = addItem(notes, key, added);
      const at = edit.at + edit.insert.indexOf(added) + 1;
      return { edits: [edit], result: describeItem("Added the", kind, at, added) };
    }
    const suffix =
      kind === "blocker" && done
        ? ` (${project.now()}${outcome === "" ? "" : `: ${outcome}`})`
        : outcome !== ""
          ? ` — ${outcome}`
          : note === ""
            ? ""
            : ` ${note}`;
    const drops = note !== "" || (kind === "blocker" && done === true);
    return changeItem(notes, kind, known, start, drops, suffix);
  });
}

export const blockerKind = /^(?:waiting|blocked|resolved)(?:\s+on)?\s*:\s*/i;

function startOf(kind: ItemKind, text: string, known: Item | undefined, done: boolean | undefined): string {
  if (kind !== "blocker") return `[${(done ?? known?.done) ? "x" : " "}] `;
  if (done) return "Resolved: ";
  const named = blockerKind.test(text) ? text : (known?.text ?? "");
  return /^blocked/i.test(named) ? "Blocked: " : "Waiting: ";
}

function checkEta(note: string): void {
  const [, eta] = /^\(ETA:([^()]{0,80})\)$/i.exec(note) ?? [];
  if (eta === undefined || isDateOrTime(eta.trim())) return;
  throw new HoldfastError(
    "invalid_input",
    `The ETA must be a date such as 2026-01-15 (got ${JSON.stringify(eta.trim())}). Nothing was changed.`,
    { data: { eta } },
  );
}

/** The text without its last note in parentheses: an ETA, or what blocks a goal. */
function dropNote(text: string): string {
  const trimmed = text.trimEnd();
  const at = trimmed.endsWith(")") ? trimmed.search(/\((?:blocking|depends on|ETA):/i) : -1;
  return at <= 0 ? text : trimmed.slice(0, at).trimEnd();
}

/** Replaces the start and the end of an item; keeps its bullet and the text in between. */
function changeItem(
  notes: Notes,
  kind: ItemKind,
  item: Item,
  start: string,
  drops: boolean,
  suffix: string,
): Planned<Answer> {
  const before = notes.lines.texts.slice(item.line, item.textEnd);
  const [, bullet = "- ", rest = ""] =
    /^(\s*(?:[-*+]|\d+[.)])[ \t]+)(?:\[[ xX]\](?:[ \t]+|$))?(.*)$/s.exec(before[0] ?? "") ?? [];
  // Only a blocker starts with its kind; a goal may start with the same word.
  const lines = before.with(0, bullet + start + (kind === "blocker" ? rest.replace(blockerKind, "") : rest));
  const end = lines.length - 1;
  const last = lines[end] ?? "";
  lines[end] = drops ? dropNote(last) : last;
  if (suffix !== "") lines[end] = `${lines[end].trimEnd()}${suffix}`;
  // Differences in whitespace alone are not a change.
  const isSame = lines.every((line, index) => oneLine(line) === oneLine(before[index] ?? ""));
  const verb = isSame ? "Already recorded: the" : "Changed the";
  const edits = isSame ? [] : [replaceLines(notes, item.line, item.textEnd, lines)];
  return { edits, result: describeItem(verb, kind, item.line + 1, lines.join(" ")) };
}

function describeItem(verb: string, kind: ItemKind, line: number, written: string): Answer {
  const text = oneLine(written).replace(/^\S+\s+(?:\[[ xX]\]\s+)?/, "");
  return { ok: true, text: `${verb} ${kind} on line ${line}: ${text}`, line };
}

/** Finds the item with this text; with `loosely`, also the only open item that contains it. */
function findItem(notes: Notes, key: SectionKey, target: string, loosely: boolean): Item | undefined {
  const items = itemsOf(notes, key);
  const fold = (text: string) => {
    const bare = key === "blockers" ? text.replace(blockerKind, "") : text;
    return (key === "questions" ? bare : dropNote(bare)).replaceAll("\\", "").toLowerCase();
  };
  const wanted = fold(target);
  const same = items.filter(({ text }) => fold(text) === wanted);
  if (same.length > 0 || !loosely) return same.find(isOpen) ?? same[0];
  const containing = items.filter((item) => isOpen(item) && fold(item.text).includes(wanted));
  return containing.length === 1 ? containing[0] : undefined;
}

export function isOpen({ done, text }: Item): boolean {
  return done !== true && !/^resolved/i.test(text);
}

function noSuchItem(notes: Notes, key: SectionKey, wanted: string): HoldfastError {
  const open = itemsOf(notes, key).filter(isOpen);
  const listed = open.slice(0, 5).map(({ text }) => JSON.stringify(text.slice(0, 80)));
  return new HoldfastError(
    "not_found",
    `None of the open ${key} matches ${JSON.stringify(wanted.slice(0, 80))}. Nothing was changed. The open ones are: ${listed.join(", ") || "none"}.`,
    { data: { wanted } },
  );
}

/** Tracks a location in the code; updates the row if it is already tracked. */
function trackIdentifier(project: Project, text: string, detail: string): Answer {
  const purpose = requireLine(detail, "detail");
  checkBudget(project, `${text} ${purpose}`, partBudgets.identifier, "detail");
  const { path, from, to } = projectPath(project.file.root, text);
  const source = readSource(project.file.root, path);
  if (source.status !== "read" && source.status !== "directory") throw noSuchFile(path, source.status);
  if (
    from !== undefined &&
    source.status === "read" &&
    ((to ?? from) > source.lines || (to ?? from) < from)
  ) {
    throw new HoldfastError(
      "invalid_input",
      `${path} has ${source.lines} lines, so there are no lines ${from}-${to ?? from}. Nothing was changed.`,
      { data: { path, lines: source.lines } },
    );
  }
  const reference = renderReference(path, from, to);
  return project.change((notes): Planned<Answer> => {
    const table = tableOf(notes, "identifiers");
    const known = table?.rows.find(
      (row) => parseReference(cellIn(table, row, "identifier")).text === reference,
    );
    const row = addRows(notes, "identifiers", [
      { identifier: reference, purpose, "last verified": project.now() },
    ]);
    if (!known) return { edits: [row], result: tracked("Tracking", reference, lastAdded(row)) };
    const written = row.insert.findLast((each) => each !== "") ?? "";
    return {
      edits: [replaceLines(notes, known.line, known.line + 1, [written])],
      result: tracked("Updated", reference, known.line + 1),
    };
  });
}

function tracked(verb: string, reference: string, line: number): Answer {
  return { ok: true, text: `${verb}: ${reference} (line ${line}).`, line };
}

function checkBudget(project: Project, content: string, limit: number, field: string): void {
  const tokens = project.countTokens(content.slice(0, 10_000));
  if (tokens <= limit) return;
  throw new HoldfastError(
    "over_limit",
    `The entry with this "${field}" takes ${tokens} tokens; the limit is ${limit}, because it is read after every reset. Nothing was changed. Shorten it.`,
    { data: { field, tokens, limit } },
  );
}

function logContext(project: Project, state: string, task: string | undefined): Answer {
  const next = requireLine(state, "text");
  return project.change((notes) => ({
    edits: contextEdits(project, notes, { next, task }),
    result: { ok: true, text: "Updated the active context." },
  }));
}

export interface HandoffInput {
  summary: string;
  /** The next step. It becomes the reasoning state. */
  next?: string | undefined;
  /** The current work. It becomes the current bead. */
  task?: string | undefined;
}

/** Adds a row to the continuity log and updates the active context. */
export function logHandoff(project: Project, input: HandoffInput, caller: Caller): Answer {
  const now = project.now();
  const summary = requireLine(input.summary, "summary");
  return project.change((notes) => {
    const row = addRows(notes, "log", [
      {
        timestamp: now,
        agent: nameOf(caller),
        summary: caller.session === undefined ? summary : `${summary} (session ${caller.session})`,
      },
    ]);
    const context = contextEdits(project, notes, input, now);
    const shift = context.reduce(
      (sum, { at, remove, insert }) => (at <= row.at ? sum + insert.length - remove : sum),
      0,
    );
    const line = lastAdded(row) + (isLogged(notes, row, now) ? 0 : shift);
    const edits = isLogged(notes, row, now) ? [] : [...context, row];
    return { edits, result: { ok: true, text: `Handed over at ${now} (line ${line}).`, line } };
  });
}

/** A host may report the same end twice, also at the same moment. */
const sameReportMilliseconds = 60_000;

/** Whether the log has this row already, written a moment ago. */
function isLogged(notes: Notes, { insert }: LineEdit, now: string): boolean {
  const table = tableOf(notes, "log");
  const written = insert.findLast((line) => line !== "") ?? "";
  return (table?.rows ?? []).some((row) => {
    const at = table ? cellIn(table, row, "timestamp") : "";
    const age = Date.parse(now) - Date.parse(at);
    return (
      age >= 0 &&
      age < sameReportMilliseconds &&
      (notes.lines.texts[row.line] ?? "").replace(at, now) === written
    );
  });
}

function contextEdits(
  project: Project,
  notes: Notes,
  { task, next }: Pick<HandoffInput, "task" | "next">,
  now = project.now(),
): LineEdit[] {
  // The active context is read first after a reset; the log has the full text.
  const shortened = (text: string) =>
    cutTo(oneLine(text), partBudgets.state, project.countTokens)?.text ?? "none";
  return updateContext(notes, {
    ...(task === undefined ? {} : { "Current Bead": shortened(task) }),
    "Last Checkpoint": now,
    ...(next === undefined ? {} : { "Reasoning State": shortened(next) }),
  });
}

/** Sets `**Name**: value` items; leaves the others unchanged. */
export function updateContext(notes: Notes, values: Readonly<Record<string, string>>): LineEdit[] {
  const lineOf = (name: string) => `- **${name}**: ${values[name] ?? ""}`;
  const names = Object.keys(values);
  if (!notes.sections.has("context")) {
    const edit = addSection(notes, "context", []);
    const isOf = (line: string, name: string) => line.startsWith(`- **${name}**:`);
    const insert = edit.insert.map((line) => {
      const name = names.find((each) => isOf(line, each));
      return name === undefined ? line : lineOf(name);
    });
    const missing = names.filter((name) => !insert.some((line) => isOf(line, name)));
    const last = insert.findLastIndex((line) => line.startsWith("- **"));
    return [{ ...edit, insert: insert.toSpliced(last + 1, 0, ...missing.map(lineOf)) }];
  }
  const known = contextFields(notes);
  const added = names.filter((name) => !known.has(name.toLowerCase())).map(lineOf);
  const edits = names.flatMap((name) => {
    const item = known.get(name.toLowerCase())?.item;
    return item ? [replaceLines(notes, item.line, item.textEnd, [lineOf(name)])] : [];
  });
  const [first] = added;
  if (first === undefined) return edits;
  const edit = addItem(notes, "context", first);
  return [...edits, { ...edit, insert: edit.insert.toSpliced(edit.insert.indexOf(first), 1, ...added) }];
}

/** Moves all but the newest decisions to the archive table, with their evidence and test scenarios. */
function archiveDecisions(project: Project, text: string): Answer {
  if (!/^\d{1,9}$/.test(text.trim()))
    throw incomplete(
      `"text" must be how many of the newest decisions stay in the log (got ${JSON.stringify(text)})`,
      'Use a number such as "10"',
    );
  return project.change((notes) => {
    const entries = entriesOf(notes);
    const kept = new Set(newestEntries(entries, Number(text)).map(({ line }) => line));
    // An entry that would make a row too long to read stays in the log.
    const old = newestEntries(entries, entries.length).filter(
      (entry) => !kept.has(entry.line) && JSON.stringify(archiveRow(notes, entry)).length < maxLineLength / 2,
    );
    const rows = old.map((entry) => archiveRow(notes, entry));
    const edits =
      old.length === 0
        ? []
        : [...old.map((entry) => removeEntry(notes, entry)), addRows(notes, "archive", rows)];
    const left = entries.length - old.length;
    return {
      edits,
      result: { ok: true, text: `Archived ${old.length} decisions; ${left} remain in the log.` },
    };
  });
}

function removeEntry(notes: Notes, { line, end }: Entry): LineEdit {
  const isBlank = (at: number) => notes.lines.texts[at]?.trim() === "";
  let to = end;
  while (to > line + 1 && isBlank(to - 1)) to--;
  // Also remove the blank line before it.
  return replaceLines(notes, isBlank(line - 1) ? line - 1 : line, to, []);
}

function archiveRow(notes: Notes, entry: Entry): Record<string, string> {
  const { decision, rationale, evidence, scenarios, by, other } = readDecision(notes, entry);
  const parts = [
    rationale,
    ...(evidence.length > 0 ? [`Evidence: ${evidence.map(({ text }) => text).join("; ")}`] : []),
    ...(scenarios.length > 0
      ? [`Test scenarios: ${scenarios.map((text, index) => `${index + 1}. ${text}`).join(" ")}`]
      : []),
    ...other,
  ];
  const { timestamp, name } = entry;
  return {
    date: timestamp || "-",
    decision: name !== "" && !decision.startsWith(name) ? `${name}: ${decision}` : decision || name,
    rationale: parts.filter((part) => part !== "").join("<br>"),
    "decided by": by || "-",
  };
}
