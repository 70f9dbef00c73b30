import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutMiddle } from "../hosts/hook/memory-text.ts";
import { renderNotepad } from "../surfaces/notepad/block.ts";
import { openBlock } from "./code-blocks.ts";
import { chooseEnds, renderEnds } from "./excerpt.ts";

const line = fc.constantFrom(
  "```",
  "```ts",
  "````md",
  "~~~",
  "   ```",
  "      ```",
  "``` a`b",
  "- item",
  "let a = 1;",
  "",
  "a longer line of an ordinary note about the work",
);
const notepad = fc.array(line, { minLength: 4, maxLength: 60 }).map((lines) => lines.join("\n"));

test("an open block is found as Markdown has it [context.cut-blocks]", () => {
  assert.equal(openBlock("```\na")?.marker, "```");
  assert.equal(openBlock("a\n~~~~\n```\n~~~")?.index, 2);
  assert.equal(openBlock("```\na\n```"), undefined);
  assert.equal(openBlock("``` a`b"), undefined);
  assert.equal(openBlock("```\n    ```")?.index, 0);
});

test("a notepad that is cut anywhere leaves no code block open [context.cut-blocks]", () => {
  fc.assert(
    fc.property(notepad, fc.integer({ min: 5, max: 400 }), (content, room) => {
      const block = renderNotepad(content);
      assert.equal(openBlock(block), undefined, "whole");
      const ends = chooseEnds(block, room, (text) => Math.ceil(text.length / 3));
      if (ends) assert.equal(openBlock(renderEnds(block, ends, "[cut]")), undefined);
      const short = cutMiddle(block, room + 120, "read it");
      assert.equal(openBlock(short), undefined);
      assert.ok(Buffer.byteLength(short) <= room + 120);
    }),
    { numRuns: 3_000 },
  );
});
