import { readDecision } from "../notes-md/decision.ts";
import { applyLineEdits, type LineEdit } from "../notes-md/lines.ts";
import { maxLineLength } from "../notes-md/outline.ts";
import { type Entry, entriesOf, type Notes, newestEntries, parseNotes } from "../notes-md/parse.ts";
import type { Project } from "../project.ts";
import { replaceLines } from "./place-lines.ts";
import { safeRow } from "./tables.ts";

/** Moves all but the newest decisions to the archive table, with their evidence and test scenarios. */
export function archiveDecisions(project: Project, keep: number): { moved: number; kept: number } {
  return project.change("archive", (notes) => {
    const entries = entriesOf(notes);
    const kept = new Set(newestEntries(entries, keep).map(({ line }) => line));
    // Entries that would make too long a row stay in the log.
    const old = newestEntries(entries, entries.length).filter(
      (entry) => !kept.has(entry.line) && JSON.stringify(rowOf(notes, entry)).length < maxLineLength / 2,
    );
    const result = { moved: old.length, kept: entries.length - old.length };
    if (old.length === 0) return { edits: [], result };
    const removals = old.map((entry) => removeEntry(notes, entry));
    return { edits: [...removals, addRows(notes, old)], result };
  });
}

function removeEntry(notes: Notes, entry: Entry): LineEdit {
  let from = entry.line;
  // Also remove the blank line before it.
  if ((notes.lines.texts[from - 1] ?? "x").trim() === "") from--;
  let to = entry.end;
  while (to > entry.line + 1 && (notes.lines.texts[to - 1] ?? "").trim() === "") to--;
  return replaceLines(notes, from, to, []);
}

/** Adds all rows in one edit. */
function addRows(notes: Notes, entries: readonly Entry[]): LineEdit {
  const [first, ...rest] = entries.map((entry) => rowOf(notes, entry));
  const edit = safeRow(notes, "archive", first ?? {});
  const at = edit.insert.findLastIndex((line) => line !== "");
  const after = parseNotes(applyLineEdits(notes.lines, [edit]));
  const more = rest.map((values) => safeRow(after, "archive", values).insert.at(-1) ?? "");
  return { ...edit, insert: edit.insert.toSpliced(at + 1, 0, ...more) };
}

function rowOf(notes: Notes, entry: Entry): Record<string, string> {
  const { timestamp, name, decision, rationale, evidence, scenarios, by, other } = readDecision(notes, entry);
  const quotes = evidence.map(({ text }) => text.replace(/^[-*+]\s+/, ""));
  const tests = scenarios.map((text, index) => `${index + 1}. ${text}`);
  const parts = [
    rationale,
    ...(quotes.length > 0 ? [`Evidence: ${quotes.join("; ")}`] : []),
    ...(tests.length > 0 ? [`Test scenarios: ${tests.join(" ")}`] : []),
    ...other,
  ];
  return {
    date: timestamp || "-",
    decision: name !== "" && !decision.startsWith(name) ? `${name}: ${decision}` : decision || name,
    rationale: parts.filter((part) => part !== "").join("<br>"),
    "decided by": by || "-",
  };
}
