import { type DiffLine, diffLines } from "../../engine/diff.ts";
import type { MemoryDiff } from "../../sessions/history.ts";
import type { Note } from "../../surfaces/notes/operations.ts";
import { counted } from "./quantities.ts";
import type { Screen } from "./screen.ts";
import { visibleLine, visibleText } from "./visible-text.ts";

/** Unchanged lines shown around a change. */
const context = 2;

/** Renders the difference between two revisions as terminal lines; empty if there is none. */
export function renderDiff({ notepad, scratchpad, notes }: MemoryDiff, { paint }: Screen): string[] {
  const section = (title: string, lines: readonly DiffLine[]) =>
    lines.every(({ kind }) => kind === "same") ? [] : ["", paint("bold", title), ...hunks(lines, paint)];
  const refs: DiffLine[] = [
    ...scratchpad.refsRemoved.map((text): DiffLine => ({ kind: "removed", text })),
    ...scratchpad.refsAdded.map((text): DiffLine => ({ kind: "added", text })),
  ];
  const noteSection = (note: Note, kind: "added" | "removed") =>
    section(
      noteTitle(note),
      note.content.split("\n").map((text) => ({ kind, text })),
    );
  return [
    ...section("Notepad", notepad),
    ...section("Plan", scratchpad.plan),
    ...section("Scratchpad", scratchpad.notes),
    ...section("References", refs),
    ...notes.added.flatMap((note) => noteSection(note, "added")),
    ...notes.removed.flatMap((note) => noteSection(note, "removed")),
    ...notes.changed.flatMap(({ before, after }) =>
      section(noteTitle(after), [...tagLines(before, after), ...diffLines(before.content, after.content)]),
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

const styles = {
  same: { sign: " ", style: "dim" },
  added: { sign: "+", style: "green" },
  removed: { sign: "-", style: "red" },
} as const;

function hunks(lines: readonly DiffLine[], paint: Screen["paint"]): string[] {
  const shown: string[] = [];
  let skipped = 0;
  const skip = () => {
    if (skipped > 0) shown.push(`  ${paint("dim", `⋯ ${counted(skipped, "unchanged line")}`)}`);
    skipped = 0;
  };
  lines.forEach(({ kind, text }, index) => {
    const near = lines.slice(Math.max(0, index - context), index + context + 1);
    if (near.every((line) => line.kind === "same")) {
      skipped++;
      return;
    }
    skip();
    const { sign, style } = styles[kind];
    shown.push(`  ${paint(style, sign)} ${paint(style, visibleText(text))}`.trimEnd());
  });
  skip();
  return shown;
}
