import { type DiffLine, diffLines } from "../../engine/diff.ts";
import type { MemoryDiff } from "../../sessions/history.ts";
import type { Note } from "../../surfaces/notes/operations.ts";
import type { Screen } from "./screen.ts";
import { visibleLine, visibleText } from "./visible-text.ts";
import { wrapSpans } from "./wrap-text.ts";

/** Unchanged lines shown around a change. */
const context = 2;

/** What differs between two revisions, as lines for a terminal; empty when nothing does. */
export function renderDiff({ notepad, scratchpad, notes }: MemoryDiff, screen: Screen): string[] {
  const refs: DiffLine[] = [
    ...scratchpad.refsRemoved.map((text): DiffLine => ({ kind: "removed", text })),
    ...scratchpad.refsAdded.map((text): DiffLine => ({ kind: "added", text })),
  ];
  const whole = (note: Note, kind: "added" | "removed") =>
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
    ...notes.added.flatMap((note) => whole(note, "added")),
    ...notes.removed.flatMap((note) => whole(note, "removed")),
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
  const spell = ({ tags }: Note) => `tags: ${tags.join(", ") || "none"}`;
  if (spell(before) === spell(after)) return [];
  return [
    { kind: "removed", text: spell(before) },
    { kind: "added", text: spell(after) },
  ];
}

function section(title: string, lines: readonly DiffLine[], screen: Screen): string[] {
  if (lines.every(({ kind }) => kind === "same")) return [];
  return ["", ...wrapSpans([{ text: title, style: "bold" }], "", "  ", screen), ...hunks(lines, screen)];
}

const looks = {
  same: { sign: " ", style: "dim" },
  added: { sign: "+", style: "green" },
  removed: { sign: "-", style: "red" },
} as const;

function hunks(lines: readonly DiffLine[], screen: Screen): string[] {
  const shown: string[] = [];
  let skipped = 0;
  lines.forEach(({ kind, text }, place) => {
    const near = lines.slice(Math.max(0, place - context), place + context + 1);
    if (near.every((line) => line.kind === "same")) {
      skipped++;
      return;
    }
    if (skipped > 0) shown.push(gap(skipped, screen));
    skipped = 0;
    const { sign, style } = looks[kind];
    const first = `  ${screen.paint(style, sign)} `;
    const wrapped = wrapSpans([{ text: visibleText(text), style }], "", "", {
      ...screen,
      width: screen.width - 4,
    });
    shown.push(...wrapped.map((line, row) => `${row === 0 ? first : "    "}${line}`.trimEnd()));
  });
  return skipped > 0 ? [...shown, gap(skipped, screen)] : shown;
}

function gap(lines: number, screen: Screen): string {
  return `  ${screen.paint("dim", `⋯ ${lines} unchanged ${lines === 1 ? "line" : "lines"}`)}`;
}
