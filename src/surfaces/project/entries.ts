import { oneLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { createBead } from "./beads.ts";
import { cutTo } from "./cut.ts";
import { archiveDecisions } from "./decisions.ts";
import { documentStructure } from "./discovery.ts";
import {
  addLines,
  addRows,
  addSection,
  type Edit,
  lineOf,
  type Planned,
  replaceLines,
  setCells,
} from "./edit.ts";
import {
  blockerKind,
  firstState,
  isDateOrTime,
  layout,
  newSection,
  renderField,
  type SectionKey,
  severities,
  type Values,
} from "./layout.ts";
import { contextFields, type Item, itemsOf, type Notes, type Row, rowsOf } from "./notes.ts";
import { type Answer, type Caller, nameOf, type Project } from "./project.ts";
import { noSuchFile, parseReference, projectPath, readSource, renderReference } from "./references.ts";
import { refusal, requireLine } from "./refusal.ts";

export interface EntryInput {
  kind: EntryKind;
  text: string;
  detail?: string | undefined;
  done?: boolean | undefined;
  severity?: string | undefined;
  actionable?: boolean | undefined;
}

type Optional = "detail" | "done" | "severity" | "actionable";

interface Kind {
  /** The fields that it takes besides its text. */
  takes: Optional[];
  needs?: "detail";
  example: object;
  log(project: Project, input: EntryInput, caller: Caller): Answer | Promise<Answer>;
}

const kinds = {
  debt: {
    takes: ["severity", "actionable", "detail"],
    example: { text: "Missing input validation on /api/upload", severity: "HIGH", detail: "S03" },
    log: logDebt,
  },
  goal: { takes: ["done", "detail"], example: { text: "Add login (blocking: OAuth setup)" }, log: logItem },
  blocker: {
    takes: ["done", "detail"],
    example: { text: "Waiting: credentials (ETA: 2026-01-15)" },
    log: logItem,
  },
  question: {
    takes: ["done", "detail"],
    example: { text: "Is the limit per client?", done: true, detail: "Yes" },
    log: logItem,
  },
  identifier: {
    takes: ["detail"],
    needs: "detail",
    example: { text: "src/auth/jwt.ts:45-67", detail: "Token validation" },
    log: trackIdentifier,
  },
  context: {
    takes: ["detail"],
    example: { text: "Refresh works, next test expiry", detail: "Token expiry" },
    log: logContext,
  },
  structure: {
    takes: ["detail"],
    needs: "detail",
    example: { text: "API routes", detail: "- src/routes.ts: all routes" },
    log: documentStructure,
  },
  archive: { takes: [], example: { text: "10" }, log: archiveDecisions },
} satisfies Record<string, Kind>;

export type EntryKind = keyof typeof kinds;

export const entryKinds = Object.keys(kinds) as EntryKind[];

/** Adds an entry to NOTES.md, or changes the one with the same text. */
export async function logEntry(project: Project, input: EntryInput, caller: Caller): Promise<Answer> {
  const kind: Kind = kinds[input.kind];
  const problem = fieldProblem(kind, input);
  if (problem === undefined) return kind.log(project, input, caller);
  throw refusal(
    "invalid_input",
    `An entry of the kind ${input.kind} ${problem}`,
    `Call it like this: ${JSON.stringify({ kind: input.kind, ...kind.example })}`,
    { kind: input.kind },
  );
}

function fieldProblem({ takes, needs }: Kind, input: EntryInput): string | undefined {
  const optional: Optional[] = ["detail", "done", "severity", "actionable"];
  const extra = optional.find((name) => input[name] !== undefined && !takes.includes(name));
  if (extra !== undefined) return `does not take "${extra}"`;
  if (needs && (input.detail ?? "").trim() === "") return `needs "${needs}"`;
  const isEarly = takes.includes("done") && input.detail !== undefined && input.done !== true;
  return isEarly ? 'takes "detail" only with "done": true' : undefined;
}

/** Adds a row to the debt table under a new id, or changes a known one; actionable debt also becomes an issue in Beads. */
async function logDebt(project: Project, input: EntryInput, caller: Caller): Promise<Answer> {
  const description = requireLine(input.text, "text");
  const severity = severityOf(input.severity ?? "MEDIUM");
  const sprint = input.detail?.trim() ? requireLine(input.detail, "detail") : "";
  const { id, line, text, hasBead } = project.change((notes) => {
    const known = rowsOf(notes, "debt").find((row) => isDebt(row, description));
    if (known) {
      const given = { ...(input.severity && { severity }), ...(sprint && { sprint }) };
      const changed = Object.entries(given).filter(([name, value]) =>
        known.cells.some(({ column, text }) => column === name && text !== value),
      );
      const { id = "" } = known.values;
      const at = known.line + 1;
      const text =
        changed.length === 0
          ? `Already logged as ${id} on line ${at}.`
          : `Changed ${id} on line ${at}: ${changed.map(([name, value]) => `${name} ${value}`).join(", ")}.`;
      const edits = changed.length === 0 ? [] : [setCells(notes, known, Object.fromEntries(changed))];
      return { edits, result: { id, line: at, text, hasBead: namesBead(known, description) } };
    }
    const id = nextDebtId(notes);
    const row = addRows(notes, "debt", [{ id, description, severity, "found by": nameOf(caller), sprint }]);
    const text = `Logged ${id} on line ${lineOf(row)}.`;
    return { edits: [row], result: { id, line: lineOf(row), text, hasBead: false } };
  });
  if (!input.actionable || hasBead) return { ok: true, text, line, id };
  const issue = await createBead(project, { title: description, severity, reference: id });
  if ("problem" in issue)
    return { ok: true, text: `${text} No issue was created: ${issue.problem}.`, line, id };
  project.change((notes) => ({ edits: nameBead(notes, id, issue.id), result: undefined }));
  return { ok: true, text: `${text} Created Beads issue ${issue.id}.`, line, id };
}

function severityOf(text: string): (typeof severities)[number] {
  const known = severities.find((each) => each === text.trim().toUpperCase());
  if (known) return known;
  throw refusal(
    "invalid_input",
    `"severity" must be one of ${severities.join(", ")} (got ${JSON.stringify(text)})`,
    "Call again with one of them",
  );
}

/** The id of an issue after a description. */
const beadAfter = /^ \([\w.]{1,60}-[\w.-]{1,60}\)$/;

function isDebt({ values: { description: known = "" } }: Row, description: string): boolean {
  return (
    known.startsWith(description) &&
    (known === description || beadAfter.test(known.slice(description.length)))
  );
}

/** The column for the ids of issues, if the table has one. */
function beadColumn({ values }: Row): string | undefined {
  return ["bead", "issue"].find((column) => column in values);
}

function namesBead(row: Row, description: string): boolean {
  const own = row.values[beadColumn(row) ?? ""] ?? "";
  return row.values.description !== description || !["", "-"].includes(own);
}

/** Writes the issue's id to its own column if the table has one, else after the description. */
function nameBead(notes: Notes, id: string, bead: string): Edit[] {
  const row = rowsOf(notes, "debt").find(({ values }) => values.id === id);
  if (!row) return [];
  const own = beadColumn(row);
  const { description = "" } = row.values;
  return [
    setCells(notes, row, own === undefined ? { description: `${description} (${bead})` } : { [own]: bead }),
  ];
}

/** The highest id anywhere in the file, also of a row that was removed and is still referred to. */
function nextDebtId({ text }: Notes): string {
  const ids = Array.from(text.matchAll(/\bTD-(\d{1,9})\b/g), ([, digits]) => Number(digits));
  const highest = ids.reduce((max, id) => Math.max(max, id), 0);
  return `TD-${String(highest + 1).padStart(3, "0")}`;
}

const sectionOf: Partial<Record<EntryKind, SectionKey>> = {
  goal: "goals",
  blocker: "blockers",
  question: "questions",
};

/** Adds a goal, blocker or question, or changes the one with the same text. With `done` it is closed. */
function logItem(project: Project, { kind, text, detail, done }: EntryInput): Answer {
  const key = sectionOf[kind] ?? "goals";
  const isBlocker = key === "blockers";
  const line = requireLine(text, "text");
  if (kind === "question") checkBudget(project, key, line, "text");
  const { body, note } = splitItem(key, line);
  if (isBlocker) checkEta(note);
  const outcome = detail === undefined ? "" : requireLine(detail, "detail");
  return project.change((notes): Planned<Answer> => {
    const known = findItem(notes, key, { body, done, outcome });
    if (done && !known) throw noSuchItem(notes, key, line);
    const start = isBlocker
      ? startOfBlocker(done, blockerKind.test(line) ? line : known?.text)
      : `[${(done ?? known?.done) ? "x" : " "}] `;
    const describe = (verb: string, at: number, written: string): Answer => {
      const shown = oneLine(written).replace(/^\S+\s+(?:\[[ xX]\]\s+)?/, "");
      return { ok: true, text: `${verb} ${kind} on line ${at}: ${shown}`, line: at };
    };
    if (!known) {
      const added = `- ${start}${body}${note === "" ? "" : ` ${note}`}`;
      const edit = addLines(notes, key, [added]);
      return { edits: [edit], result: describe("Added the", lineOf(edit), added) };
    }
    if (done && isRecorded(known, outcome))
      return { edits: [], result: describe("Already recorded: the", known.line + 1, `- ${known.text}`) };
    const resolution = isBlocker && done ? `(${project.now()}${outcome === "" ? "" : `: ${outcome}`})` : "";
    const answer = outcome === "" ? note : `— ${outcome}`;
    // A reopened item that goes on after the text keeps its last words, also if they look like a note.
    const isLonger = done === false && bodyOf(key, known.text) !== fold(body);
    const before = notes.texts.slice(known.line, known.textEnd);
    const after = changeItem(before, {
      isBlocker,
      start,
      end: isLonger && known.text.endsWith(note) ? "" : resolution || answer,
      dropsNote: !isLonger && (note !== "" || resolution !== ""),
    });
    // Differences in whitespace alone are not a change.
    const isSame = oneLine(after.join(" ")) === oneLine(before.join(" "));
    return {
      edits: isSame ? [] : [replaceLines(notes, known.line, known.textEnd, after)],
      result: describe(isSame ? "Already recorded: the" : "Changed the", known.line + 1, after.join(" ")),
    };
  });
}

function startOfBlocker(done: boolean | undefined, text = ""): string {
  if (done) return "Resolved: ";
  return /^blocked/i.test(text) ? "Blocked: " : "Waiting: ";
}

/** A question stays whole: what it has in parentheses belongs to it. */
function splitItem(key: SectionKey, text: string): { body: string; note: string } {
  if (key === "questions") return { body: text, note: "" };
  const bare = key === "blockers" ? text.replace(blockerKind, "") : text;
  const body = dropNote(bare);
  return { body: body || text, note: bare.slice(body.length).trim() };
}

/** Notes at the end of a text, which may have parentheses of their own. */
const lastNotes = /(?:\((?:blocking|depends on|ETA):(?:[^()]|\([^()]*\))*\) ?)+$/i;

/** The text without the notes in parentheses at its end: an ETA, or what blocks a goal. */
function dropNote(text: string): string {
  const at = text.trimEnd().search(lastNotes);
  return at <= 0 ? text : text.slice(0, at).trimEnd();
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

interface ItemChange {
  isBlocker: boolean;
  start: string;
  end: string;
  dropsNote: boolean;
}

/** Replaces the start and the end of an item; keeps its bullet and the text in between. */
function changeItem(lines: readonly string[], change: ItemChange): string[] {
  const { isBlocker, start, end, dropsNote } = change;
  const [, bullet = "- ", rest = ""] =
    /^(\s*(?:[-*+]|\d+[.)])[ \t]+)(?:\[[ xX]\](?:[ \t]+|$))?(.*)$/s.exec(lines[0] ?? "") ?? [];
  // Only a blocker starts with its kind; a goal may start with the same word.
  const changed = lines.with(0, bullet + start + (isBlocker ? rest.replace(blockerKind, "") : rest));
  const last = changed.at(-1) ?? "";
  const kept = dropsNote ? dropNote(last) : last;
  return changed.with(-1, end === "" ? kept : `${kept.trimEnd()} ${end}`);
}

interface Wanted {
  body: string;
  done: boolean | undefined;
  outcome: string;
}

/**
 * Finds the item with this text. To reopen one, its text may go on with an outcome. To close one, it may also be the
 * only open item that contains the text, or one that is closed already.
 */
function findItem(notes: Notes, key: SectionKey, { body, done, outcome }: Wanted): Item | undefined {
  const items = itemsOf(notes, key);
  const wanted = fold(body);
  const same = items.filter((item) => bodyOf(key, item.text) === wanted);
  if (same.length > 0 || done === undefined) return same.find(isOpen) ?? same[0];
  const outcomeAfter = key === "blockers" ? resolutionAfter : answerAfter;
  const longer = items.filter(({ text }) => {
    const whole = fold(key === "blockers" ? text.replace(blockerKind, "") : text);
    return whole.startsWith(wanted) && outcomeAfter.test(whole.slice(wanted.length));
  });
  if (!done) return longer.length === 1 ? longer[0] : undefined;
  const recorded = longer.find((item) => isRecorded(item, outcome));
  const containing = items.filter((item) => isOpen(item) && bodyOf(key, item.text).includes(wanted));
  if (containing.length === 0 || (recorded && outcome !== "")) return recorded;
  return containing.length === 1 ? containing[0] : undefined;
}

/** The text without its note, in the form in which texts are compared. */
function bodyOf(key: SectionKey, text: string): string {
  return fold(splitItem(key, text).body);
}

function fold(text: string): string {
  return text.replaceAll("\\", "").toLowerCase();
}

/** The start of an outcome after a folded text. A person may write the same, so an outcome is never removed. */
const answerAfter = /^(?: \((?:blocking|depends on):.*?\))? — /;
const resolutionAfter = /^ \(\d{4}-\d\d-\d\dt[\d:]{5,8}z[:)]/;

/** Whether the item is closed, with this outcome if there is one. */
function isRecorded(item: Item, outcome: string): boolean {
  const ends = [` — ${outcome}`, `Z: ${outcome})`];
  return !isOpen(item) && (outcome === "" || ends.some((end) => fold(item.text).endsWith(fold(end))));
}

export function isOpen({ done, text }: Item): boolean {
  return done !== true && !/^resolved/i.test(text);
}

function noSuchItem(notes: Notes, key: SectionKey, wanted: string): HoldfastError {
  const open = itemsOf(notes, key).filter(isOpen);
  const listed = open.slice(0, 5).map(({ text }) => JSON.stringify(text.slice(0, 80)));
  return refusal(
    "not_found",
    `None of the open ${key} matches ${JSON.stringify(wanted.slice(0, 80))}`,
    `The open ones are: ${listed.join(", ") || "none"}`,
    { wanted },
  );
}

/** Tracks a location in the code; updates the row if it is already tracked. */
function trackIdentifier(project: Project, { text, detail = "" }: EntryInput): Answer {
  const { root } = project.file;
  const purpose = requireLine(detail, "detail");
  checkBudget(project, "identifiers", `${text} ${purpose}`, "detail");
  const { path, from, to = from } = projectPath(root, text);
  const source = readSource(root, path);
  if (source.status !== "read" && source.status !== "directory") throw noSuchFile(path, source.status);
  if (
    source.status === "read" &&
    from !== undefined &&
    to !== undefined &&
    (to > source.lines.length || to < from)
  )
    throw refusal(
      "invalid_input",
      `${path} has ${source.lines.length} lines, so there are no lines ${from}-${to}`,
      "Use lines of the file",
      { path, lines: source.lines.length },
    );
  const identifier = renderReference(path, from, to);
  return project.change((notes): Planned<Answer> => {
    const known = rowsOf(notes, "identifiers").find(
      ({ values }) => parseReference(values.identifier ?? "").text === identifier,
    );
    const values = { purpose, "last verified": project.now() };
    const edit = known
      ? setCells(notes, known, values)
      : addRows(notes, "identifiers", [{ identifier, ...values }]);
    const line = lineOf(edit);
    const verb = known ? "Updated" : "Tracking";
    return { edits: [edit], result: { ok: true, text: `${verb}: ${identifier} (line ${line}).`, line } };
  });
}

function checkBudget({ countTokens }: Project, key: SectionKey, content: string, field: string): void {
  const tokens = countTokens(content.slice(0, 10_000));
  const { budget: limit = 0 } = layout[key];
  if (tokens <= limit) return;
  throw refusal(
    "over_limit",
    `The entry with this "${field}" takes ${tokens} tokens; the limit is ${limit}, because it is read after every reset`,
    "Shorten it",
    { field, tokens, limit },
  );
}

function logContext(project: Project, { text, detail: task }: EntryInput): Answer {
  const next = requireLine(text, "text");
  return project.change((notes) => ({
    edits: updateContext(notes, contextOf(project, { next, task })),
    result: { ok: true, text: "Updated the active context." },
  }));
}

export interface HandoffInput {
  summary: string;
  /** The next step. It becomes the reasoning state. */
  next?: string | undefined;
  /** The current work. It becomes the current bead. */
  task?: string | undefined;
  /** Holdfast writes it: a state that the agent or a person has set stays, with its bead. */
  isAutomatic?: true;
}

/** A host may report the same end twice, also at the same moment. */
const sameReportMilliseconds = 60_000;

/** Adds a row to the continuity log and updates the active context. */
export function logHandoff(project: Project, input: HandoffInput, caller: Caller): Answer {
  const text = requireLine(input.summary, "summary");
  const summary = caller.session === undefined ? text : `${text} (session ${caller.session})`;
  const agent = nameOf(caller);
  return project.change((notes) => {
    const keepsState = input.isAutomatic && isStateSet(project, notes);
    const context = contextOf(project, keepsState ? {} : input);
    const timestamp = context["last checkpoint"];
    const known = rowsOf(notes, "log").find(({ values }) => {
      const age = Date.parse(timestamp) - Date.parse(values.timestamp ?? "");
      const isRecent = age >= 0 && age < sameReportMilliseconds;
      return isRecent && values.agent === agent && values.summary === summary;
    });
    const row = addRows(notes, "log", [{ timestamp, agent, summary }]);
    const edits = known ? [] : [...updateContext(notes, context), row];
    const line = known ? known.line + 1 : lineOf(row, edits);
    return { edits, result: { ok: true, text: `Handed over at ${timestamp} (line ${line}).`, line } };
  });
}

/** A row of `checkpointProject`, and its text without event and session. */
const ownRow = /^(?:Compaction|Session end): (.*?)(?: \(session [^()]*\))?$/;

/** Whether the agent or a person has set the reasoning state. Holdfast's own is in its last row of the log. */
function isStateSet(project: Project, notes: Notes): boolean {
  const { value = "none" } = contextFields(notes).get("reasoning state") ?? {};
  const summaries = rowsOf(notes, "log").map(({ values }) => values.summary ?? "");
  const [, own = ""] = ownRow.exec(summaries.findLast((summary) => ownRow.test(summary)) ?? "") ?? [];
  return !["", "none", firstState, shorten(project, own)].includes(value);
}

/** The active context is read first after a reset; the log has the full text. */
const maxStateTokens = 45;

function shorten({ countTokens }: Project, text: string): string {
  return cutTo({ text: oneLine(text) }, maxStateTokens, countTokens)?.text ?? "none";
}

function contextOf(project: Project, { task, next }: Pick<HandoffInput, "task" | "next">) {
  return {
    ...(task === undefined ? {} : { "current bead": shorten(project, task) }),
    "last checkpoint": project.now(),
    ...(next === undefined ? {} : { "reasoning state": shorten(project, next) }),
  };
}

/** Sets fields of the active context; leaves the others unchanged. */
export function updateContext(notes: Notes, values: Values): Edit[] {
  if (!notes.sections.context) return [addSection(notes, "context", newSection("context", values), [])];
  const known = contextFields(notes);
  const given = (layout.context.fields ?? []).flatMap(({ name }) => {
    const value = values[name.toLowerCase()];
    return value === undefined
      ? []
      : [{ item: known.get(name.toLowerCase())?.item, text: renderField(name, value) }];
  });
  const missing = given.filter(({ item }) => !item).map(({ text }) => text);
  return [
    ...given.flatMap(({ item, text }) =>
      item ? [replaceLines(notes, item.line, item.textEnd, [text])] : [],
    ),
    ...(missing.length === 0 ? [] : [addLines(notes, "context", missing)]),
  ];
}
