import { HoldfastError } from "../errors.ts";
import { type Item, itemsOf, type Notes } from "./parse-notes.ts";
import { addItem, replaceLines } from "./place-lines.ts";
import type { Project } from "./project.ts";
import type { SectionKey } from "./sections.ts";
import { isDateOrTime } from "./timestamps.ts";
import { buildPiece, isOneItem, oneLine } from "./written-pieces.ts";

/** What became of a point of a list. */
export interface ItemChange {
  line: number;
  status: "added" | "changed" | "unchanged";
  text: string;
}

export interface GoalInput {
  goal: string;
  status?: "open" | "done" | undefined;
  blocked_by?: string | undefined;
  depends_on?: string | undefined;
}

/** A new sub-goal, or a change of the one that says the same. */
export function setGoal(project: Project, input: GoalInput): ItemChange {
  const goal = oneLine(input.goal, "goal");
  return project.change("set_goal", (notes) => {
    const known = findItem(notes, "goals", goal);
    const done = input.status === undefined ? (known?.done ?? false) : input.status === "done";
    const notesAfter = [
      ...(input.blocked_by === undefined ? [] : [`blocking: ${oneLine(input.blocked_by, "blocked_by")}`]),
      ...(input.depends_on === undefined ? [] : [`depends on: ${oneLine(input.depends_on, "depends_on")}`]),
    ];
    // What the goal said before in brackets stays unless it is said anew.
    const base = known && notesAfter.length === 0 ? known.text : known ? withoutNotes(known.text) : goal;
    const text = notesAfter.length === 0 ? base : `${base} (${notesAfter.join("; ")})`;
    return writeItem(notes, "goals", known, `- [${done ? "x" : " "}] `, text);
  });
}

export interface BlockerInput {
  blocker: string;
  kind?: "waiting" | "blocked" | undefined;
  eta?: string | undefined;
  resolution?: string | undefined;
}

/** A new blocker; with a resolution, the end of a known one. */
export function logBlocker(project: Project, input: BlockerInput): ItemChange {
  const blocker = oneLine(input.blocker, "blocker");
  const eta = input.eta === undefined ? undefined : oneLine(input.eta, "eta");
  if (eta !== undefined && !isDateOrTime(eta)) {
    throw new HoldfastError(
      "invalid_input",
      `"eta" is a date such as 2026-01-15 (got ${JSON.stringify(eta)}). Nothing was changed.`,
      { data: { eta } },
    );
  }
  return project.change("log_blocker", (notes) => {
    const known = findItem(notes, "blockers", blocker);
    if (input.resolution !== undefined) {
      if (!known) throw noSuchItem(notes, "blockers", blocker);
      const said = withoutEta(known.text.replace(blockerKind, ""));
      const how = oneLine(input.resolution, "resolution");
      return writeItem(notes, "blockers", known, "- Resolved: ", `${said} (${project.now()}: ${how})`);
    }
    const known_kind = /^blocked/i.test(known?.text ?? "") ? "blocked" : "waiting";
    const kind = (input.kind ?? known_kind) === "blocked" ? "Blocked" : "Waiting";
    const said = known ? known.text.replace(blockerKind, "") : blocker;
    const text = eta === undefined ? said : `${withoutEta(said)} (ETA: ${eta})`;
    return writeItem(notes, "blockers", known, `- ${kind}: `, text);
  });
}

/** A question to carry forward; with an answer, the end of a known one. */
export function askQuestion(
  project: Project,
  input: { question: string; answer?: string | undefined },
): ItemChange {
  const question = oneLine(input.question, "question");
  return project.change("ask_question", (notes) => {
    const known = findItem(notes, "questions", question);
    if (input.answer === undefined)
      return writeItem(notes, "questions", known, `- [${known?.done ? "x" : " "}] `, known?.text ?? question);
    if (!known) throw noSuchItem(notes, "questions", question);
    const answer = oneLine(input.answer, "answer");
    return writeItem(notes, "questions", known, "- [x] ", `${known.text} — ${answer}`);
  });
}

export const blockerKind = /^(?:waiting|blocked|resolved)\s*(?:on)?\s*:\s*/i;

function withoutEta(text: string): string {
  return text.replace(/\s*\(ETA:[^)]*\)\s*$/i, "");
}

function withoutNotes(text: string): string {
  return text.replace(/\s*\((?:blocking|depends on):.*\)\s*$/i, "");
}

function writeItem(
  notes: Notes,
  key: SectionKey,
  known: Item | undefined,
  start: string,
  text: string,
): { edits: ReturnType<typeof addItem>[]; result: ItemChange } {
  // What a person wrote stays as it is; only what is new is checked.
  const line = buildPiece({ text }, (safe) => `${start}${safe.text}`, isOneItem);
  if (known && known.end === known.line + 1 && notes.lines.texts[known.line]?.trim() === line)
    return { edits: [], result: { line: known.line + 1, status: "unchanged", text } };
  const edit = known ? replaceLines(notes, known.line, known.end, [line]) : addItem(notes, key, line);
  const place = edit.at + edit.insert.indexOf(line) + 1;
  return { edits: [edit], result: { line: place, status: known ? "changed" : "added", text } };
}

/** The open point that says this, or the only one that contains it. */
function findItem(notes: Notes, key: SectionKey, wanted: string): Item | undefined {
  const items = itemsOf(notes, key).filter(({ done, text }) => done !== true && !/^resolved/i.test(text));
  const fold = (text: string) =>
    withoutEta(withoutNotes(text.replace(blockerKind, "")))
      .replaceAll("\\", "")
      .toLowerCase();
  const same = items.find(({ text }) => fold(text) === fold(wanted));
  if (same) return same;
  const holding = items.filter(({ text }) => fold(text).includes(fold(wanted)));
  return holding.length === 1 && fold(wanted).length >= 8 ? holding[0] : undefined;
}

function noSuchItem(notes: Notes, key: SectionKey, wanted: string): HoldfastError {
  const open = itemsOf(notes, key).filter(({ done, text }) => done !== true && !/^resolved/i.test(text));
  const listed = open.slice(0, 5).map(({ text }) => JSON.stringify(text.slice(0, 80)));
  return new HoldfastError(
    "not_found",
    `None of the open ${key} says ${JSON.stringify(wanted.slice(0, 80))}. Nothing was changed. Open are: ${listed.join(", ") || "none"}.`,
    { data: { wanted } },
  );
}
