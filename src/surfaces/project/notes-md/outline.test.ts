import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Nodes } from "mdast";
import { seedNotes } from "../test-support/project.ts";
import { splitLines } from "./lines.ts";
import { readMarkdown } from "./markdown.ts";
import { outlineOf } from "./outline.ts";

/** Top-level headings according to the Markdown parser. */
function headingsByParser(text: string): string[] {
  const found: string[] = [];
  const visit = (node: Nodes) => {
    if (node.type === "heading") {
      const line = node.position?.start.line ?? 0;
      found.push(`${line}:${node.depth}`);
    }
    if (node.type === "root") node.children.forEach(visit);
  };
  visit(readMarkdown(text));
  return found;
}

/** Omits a lone inline tag: after a list item, parser and specification disagree on what it ends. */
const piece = fc.constantFrom(
  "## Session Continuity",
  "### Decision Log ###",
  "#### 2024-01-15T14:30:00Z - Title",
  "#hashtag",
  "    # indented",
  "   # three in",
  "#",
  "```",
  "```ts",
  "~~~~",
  "~~~",
  "  ```",
  "<!-- a comment -->",
  "<!-- begun",
  "ended -->",
  "<div>",
  "</div>",
  "- item",
  "- [ ] task",
  "  - nested",
  "  continued",
  "1. first",
  "<!-->",
  "> - quoted point",
  "   ```",
  "| a | b |",
  "|---|---|",
  "| 1 | 2 |",
  "> quote",
  "> # quoted heading",
  "plain text",
  "===",
  "---",
  "\tindented by a tab",
  "",
  "",
);

test("the outline finds the same headings as the Markdown parser [project.parser]", () => {
  assert.deepEqual(
    outlineOf(splitLines(seedNotes).texts).headings.map(({ line, level }) => `${line + 1}:${level}`),
    headingsByParser(seedNotes),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), fc.constantFrom("\n", "\r\n"), (pieces, end) => {
      const text = pieces.join(end);
      const ours = outlineOf(splitLines(text).texts).headings.map(
        ({ line, level }) => `${line + 1}:${level}`,
      );
      assert.deepEqual(ours, headingsByParser(text));
    }),
    { numRuns: 600 },
  );
});
