import { type DiffLine, diffLines } from "../../engine/diff.ts";
import type { MemoryDiff } from "../../sessions/history.ts";
import type { Note } from "../../surfaces/notes/operations.ts";
import type { Screen } from "./screen.ts";
import { visibleLine, visibleText } from "./visible-text.ts";
import { wrapSpans } from "./wrap-text.ts";

/** Unchanged lines shown around a change. */
const context = 2;

/** Renders the difference between two revisions as terminal lines; empty if there is none. */
export function renderDiff({ notepad, scratchpad, notes }: MemoryDiff, screen: Screen): string[] {
  const refs: DiffLine[] = [
    ...scratchpad.refsRemoved.map((text): DiffLine => ({ kind: "removed", text })),
    ...scratchpad.refsAdded.map((text): DiffLine => ({ kind: "added", text })),
  ];
  const renderNote = (note: Note, kind: "added" | "removed") =>
    section(
      noteTitle(note),
      note.content.split("\n").map((text) => ({ kind, text })),
      screen,
    );
  return [
    ...section("Notepad", notepad, screen),
    ...section("Plan", scratchpad.plan, screen),
    ...section("Scratchpad", scratchpad.notes, screen),
    ...section("References", refs, screen),
    ...notes.added.flatMap((note) => renderNote(note, "added")),
    ...notes.removed.flatMap((note) => renderNote(note, "removed")),
    ...notes.changed.flatMap(({ before, after }) =>
      section(
        noteTitle(after),
        [...tagLines(before, after), ...diffLines(before.content, after.content)],
        screen,
      ),
    ),
  ];
}

function noteTitle({ id, tags }: Note): string {
  return ["Note", id, ...tags.map((tag) => `#${visibleLine(tag)}`)].join(" ");
}

function tagLines(before: Note, after: Note): DiffLine[] {
  const describe = ({ tags }: Note) => `tags: ${tags.join(", ") || "none"}`;
  if (describe(before) === describe(after)) return [];
  return [
    { kind: "removed", text: describe(before) },
    { kind: "added", text: describe(after) },
  ];
}

function section(title: string, lines: readonly DiffLine[], screen: Screen): string[] {
  if (lines.every(({ kind }) => kind === "same")) return [];
  return ["", ...wrapSpans([{ text: title, style: "bold" }], "", "  ", screen), ...hunks(lines, screen)];
}

const styles = {
  same: { sign: " ", style: "dim" },
  added: { sign: "+", style: "green" },
  removed: { sign: "-", style: "red" },
} as const;

function hunks(lines: readonly DiffLine[], screen: Screen): string[] {
  const shown: string[] = [];
  let skipped = 0;
  lines.forEach(({ kind, text }, index) => {
    const near = lines.slice(Math.max(0, index - context), index + context + 1);
    if (near.every((line) => line.kind === "same")) {
      skipped++;
      return;
    }
    if (skipped > 0) shown.push(skippedLine(skipped, screen));
    skipped = 0;
    const { sign, style } = styles[kind];
    const first = `  ${screen.paint(style, sign)} `;
    const wrapped = wrapSpans([{ text: visibleText(text), style }], "", "", {
      ...screen,
      width: screen.width - 4,
    });
    shown.push(...wrapped.map((line, row) => `${row === 0 ? first : "    "}${line}`.trimEnd()));
  });
  return skipped > 0 ? [...shown, skippedLine(skipped, screen)] : shown;
}

function skippedLine(lines: number, screen: Screen): string {
  return `  ${screen.paint("dim", `⋯ ${lines} unchanged ${lines === 1 ? "line" : "lines"}`)}`;
}
