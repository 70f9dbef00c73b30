import { badLine } from "../edit/change-notes.ts";
import { addSection } from "../edit/place-lines.ts";
import { commonLineEnd } from "../notes-md/lines.ts";
import { maxLineLength } from "../notes-md/outline.ts";
import { itemsOf } from "../notes-md/parse.ts";
import { sectionKeys, sectionNames } from "../notes-md/sections.ts";
import { finding, type Rule, replaceLine } from "./rules.ts";

const maxBytes = 1_000_000;

const encoding: Rule = ({ bytes, notes }) => {
  const bad = badLine(bytes);
  const nul = notes.lines.texts.findIndex((text) => text.includes("\u0000"));
  return [
    ...(bad === undefined
      ? []
      : [finding("encoding", bad - 1, "The line is not valid UTF-8. Save the file as UTF-8.")]),
    ...(nul === -1 ? [] : [finding("encoding", nul, "The line contains a NUL character. Remove it.")]),
  ];
};

const conflictMarker: Rule = ({ notes }) =>
  notes.conflicts.map(({ from, to }) =>
    finding(
      "conflict-marker",
      from,
      from === to
        ? "A merge-conflict marker was left behind. Remove it."
        : `There are merge-conflict markers on lines ${from + 1} to ${to + 1}. Resolve the conflict.`,
    ),
  );

const unclosedBlock: Rule = ({ notes: { outline } }) =>
  outline.unclosed
    ? [
        finding(
          "unclosed-block",
          outline.unclosed.line,
          `A ${outline.unclosed.what} starts here and is never closed. Close it.`,
        ),
      ]
    : [];

const mixedLineEndings: Rule = ({ notes: { lines } }) => {
  const usual = commonLineEnd(lines);
  const other = lines.ends.findIndex((end) => end !== "" && end !== usual);
  return other === -1
    ? []
    : [
        finding(
          "mixed-line-endings",
          other,
          "This line's ending differs from the file's most common one. Save the file with one kind of line ending.",
        ),
      ];
};

const longLine: Rule = ({ notes }) =>
  notes.lines.texts.flatMap((text, line) =>
    text.length > maxLineLength
      ? [finding("long-line", line, `The line has ${text.length} characters and is ignored. Split it.`)]
      : [],
  );

const fileSize: Rule = ({ bytes }) =>
  bytes.length > maxBytes
    ? [
        finding(
          "file-size",
          0,
          `The file has ${bytes.length} bytes. Run "holdfast project archive", or move old parts to another file.`,
        ),
      ]
    : [];

const sections: Rule = ({ notes }) => {
  const missing = sectionKeys.filter((key) => !notes.sections.has(key));
  if (missing.length === sectionKeys.length) {
    return [
      finding(
        "not-template",
        0,
        'The file has none of the template\'s sections. Run "holdfast project lint --fix" to add them after the existing text.',
        unlessUnsafe(() => addSection(notes, "continuity", [])),
      ),
    ];
  }
  return missing.map((key, index) =>
    finding(
      "missing-section",
      Math.max(0, notes.lines.texts.length - 1),
      `The section "${sectionNames[key]}" is missing.`,
      // One at a time: the position of the next depends on the one before.
      index === 0 ? unlessUnsafe(() => addSection(notes, key, [])) : undefined,
    ),
  );
};

/** A file that cannot be edited safely is reported, not fixed. */
function unlessUnsafe<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const duplicateSection: Rule = ({ notes }) =>
  notes.repeated.map(([key, { line }]) =>
    finding(
      "duplicate-section",
      line,
      `"${sectionNames[key]}" appears twice; only the first one is read. Merge them.`,
    ),
  );

const checkbox: Rule = ({ notes }) =>
  (["goals", "questions"] as const).flatMap((key) =>
    itemsOf(notes, key)
      .filter(({ done }) => done === undefined)
      .map(({ line }) => {
        const text = notes.lines.texts[line] ?? "";
        const fixed = text.replace(/^(\s*(?:[-*+]|\d+[.)])[ \t]+)(?:\[[ \t]*\])?[ \t]*/, "$1[ ] ");
        return finding(
          "checkbox",
          line,
          "The item has no checkbox: start it with [ ] or [x].",
          replaceLine(line, fixed),
        );
      }),
  );

const blockerKind: Rule = ({ notes }) =>
  itemsOf(notes, "blockers")
    .filter(({ text }) => !/^(?:\*\*)?(?:waiting|blocked|resolved)(?:\*\*)?\s*:/i.test(text))
    .map(({ line }) =>
      finding("blocker-kind", line, "The blocker does not start with Waiting:, Blocked: or Resolved:."),
    );

export const structureRules: readonly Rule[] = [
  encoding,
  conflictMarker,
  unclosedBlock,
  mixedLineEndings,
  longLine,
  fileSize,
  sections,
  duplicateSection,
  checkbox,
  blockerKind,
];
