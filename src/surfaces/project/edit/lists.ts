import { HoldfastError } from "../../../errors.ts";
import { type Item, itemsOf, type Notes } from "../notes-md/parse.ts";
import type { SectionKey } from "../notes-md/sections.ts";
import { isDateOrTime } from "../notes-md/timestamps.ts";
import type { Project } from "../project.ts";
import type { Planned } from "./change-notes.ts";
import { addItem, replaceLines } from "./place-lines.ts";
import { buildPiece, isOneItem, requireLine } from "./written-pieces.ts";

/** The result of adding or changing a list item. */
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

/** Adds a sub-goal, or changes the existing one with the same text. */
export function setGoal(project: Project, input: GoalInput): ItemChange {
  const goal = requireLine(input.goal, "goal");
  const notes = [
    ...(input.blocked_by === undefined ? [] : [`blocking: ${requireLine(input.blocked_by, "blocked_by")}`]),
    ...(input.depends_on === undefined ? [] : [`depends on: ${requireLine(input.depends_on, "depends_on")}`]),
  ];
  const suffix = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  return project.change("set_goal", (file) => {
    const known = findItem(file, "goals", goal, input.status === "done");
    const done = input.status === undefined ? (known?.done ?? false) : input.status === "done";
    const box = `[${done ? "x" : " "}] `;
    if (!known) return newItem(file, "goals", box, goal + suffix);
    // Keep the goal's note in parentheses unless there is a new one.
    return changeItem(file, known, box, suffix === "" ? undefined : dropGoalNotes, suffix);
  });
}

export interface BlockerInput {
  blocker: string;
  kind?: "waiting" | "blocked" | undefined;
  eta?: string | undefined;
  resolution?: string | undefined;
}

/** Adds a blocker; with a resolution, resolves an existing one. */
export function logBlocker(project: Project, input: BlockerInput): ItemChange {
  const text = requireLine(input.blocker, "blocker");
  // The text may include the kind, as in "Blocked: x".
  const blocker = text.replace(blockerKind, "") || text;
  const requestedKind = input.kind ?? (/^blocked\s*:/i.test(text) ? "blocked" : undefined);
  const eta = input.eta === undefined ? undefined : requireLine(input.eta, "eta");
  if (eta !== undefined && !isDateOrTime(eta)) {
    throw new HoldfastError(
      "invalid_input",
      `"eta" must be a date such as 2026-01-15 (got ${JSON.stringify(eta)}). Nothing was changed.`,
      { data: { eta } },
    );
  }
  return project.change("log_blocker", (notes) => {
    const resolution =
      input.resolution === undefined ? undefined : requireLine(input.resolution, "resolution");
    const known = findItem(notes, "blockers", blocker, resolution !== undefined);
    if (resolution !== undefined) {
      if (!known) throw noSuchItem(notes, "blockers", blocker);
      return changeItem(notes, known, "Resolved: ", dropEta, ` (${project.now()}: ${resolution})`);
    }
    const before = /^blocked/i.test(known?.text ?? "") ? "blocked" : "waiting";
    const kind = (requestedKind ?? before) === "blocked" ? "Blocked: " : "Waiting: ";
    const suffix = eta === undefined ? "" : ` (ETA: ${eta})`;
    if (!known) return newItem(notes, "blockers", kind, blocker + suffix);
    return changeItem(notes, known, kind, suffix === "" ? undefined : dropEta, suffix);
  });
}

/** Adds a question to carry forward; with an answer, closes an existing one. */
export function askQuestion(
  project: Project,
  input: { question: string; answer?: string | undefined },
): ItemChange {
  const question = requireLine(input.question, "question");
  return project.change("ask_question", (notes) => {
    const answer = input.answer === undefined ? undefined : requireLine(input.answer, "answer");
    const known = findItem(notes, "questions", question, answer !== undefined);
    if (answer === undefined) {
      if (!known) return newItem(notes, "questions", "[ ] ", question);
      return changeItem(notes, known, `[${known.done ? "x" : " "}] `, undefined, "");
    }
    if (!known) throw noSuchItem(notes, "questions", question);
    return changeItem(notes, known, "[x] ", undefined, ` — ${answer}`);
  });
}

export const blockerKind = /^(?:waiting|blocked|resolved)(?:\s+on)?\s*:\s*/i;

/** Drops a note in parentheses from the end of an item. */
type DropNote = (text: string) => string;

const dropEta: DropNote = (text) => {
  const trimmed = text.trimEnd();
  const at = trimmed.lastIndexOf("(");
  const isEta = /^\(ETA:[^)]*\)$/i.test(at === -1 ? "" : trimmed.slice(at));
  return isEta ? trimmed.slice(0, at).trimEnd() : text;
};

const dropGoalNotes: DropNote = (text) => {
  const trimmed = text.trimEnd();
  const at = trimmed.endsWith(")") ? trimmed.search(/\((?:blocking|depends on):/i) : -1;
  return at === -1 ? text : trimmed.slice(0, at).trimEnd();
};

function newItem(notes: Notes, key: SectionKey, start: string, text: string): Planned<ItemChange> {
  const line = buildPiece({ text }, (safe) => `- ${start}${safe.text}`, isOneItem);
  const edit = addItem(notes, key, line);
  return { edits: [edit], result: { line: edit.at + edit.insert.indexOf(line) + 1, status: "added", text } };
}

/** Replaces the start and the end of an item; keeps its bullet and the text in between. */
function changeItem(
  notes: Notes,
  item: Item,
  start: string,
  drop: DropNote | undefined,
  suffix: string,
): Planned<ItemChange> {
  const before = notes.lines.texts.slice(item.line, item.textEnd);
  const [, bullet = "- ", rest = ""] =
    /^(\s*(?:[-*+]|\d+[.)])[ \t]+)(?:\[[ xX]\](?:[ \t]+|$))?(.*)$/s.exec(before[0] ?? "") ?? [];
  // Only a blocker starts with its kind; a goal may start with the same word.
  const content = start.startsWith("[") ? rest : rest.replace(blockerKind, "");
  const lines = before.with(0, bullet + start + content);
  const last = lines.length - 1;
  const end = buildPiece(
    { suffix },
    (safe) => safe.suffix ?? "",
    (piece) => isOneItem(`- x${piece}`),
  );
  const kept = drop ? drop(lines[last] ?? "") : (lines[last] ?? "");
  lines[last] = suffix === "" ? kept : kept.trimEnd() + end;
  const text = lines.join(" ").replace(/^\s*\S+\s+(?:\[[ xX]\]\s+)?/, "");
  const result = { line: item.line + 1, text };
  // Differences in whitespace alone are not a change.
  const same = lines.every(
    (line, index) => line.replaceAll(/\s+/g, " ") === (before[index] ?? "").replaceAll(/\s+/g, " "),
  );
  if (same) return { edits: [], result: { ...result, status: "unchanged" } };
  return {
    edits: [replaceLines(notes, item.line, item.textEnd, lines)],
    result: { ...result, status: "changed" },
  };
}

/** Finds the item with this text; with `loosely`, also the only open item that contains it. */
function findItem(notes: Notes, key: SectionKey, target: string, loosely: boolean): Item | undefined {
  const items = itemsOf(notes, key);
  const fold = (text: string) =>
    dropEta(dropGoalNotes(text.replace(blockerKind, "")))
      .replaceAll("\\", "")
      .toLowerCase();
  const wanted = fold(target);
  const same = items.filter(({ text }) => fold(text) === wanted);
  if (same.length > 0 || !loosely) return same.find(isOpen) ?? same[0];
  const containing = items.filter((item) => isOpen(item) && fold(item.text).includes(wanted));
  return containing.length === 1 ? containing[0] : undefined;
}

function isOpen({ done, text }: Item): boolean {
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
