import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { availabilityOf, describeCompaction, type Facts } from "../src/facts.ts";
import { type Block, parseInline, parseMarkdown, toggleTask } from "../src/markdown.ts";
import { readablePiece } from "../src/readable-piece.ts";
import { naughty } from "./support/naughty.ts";

/** All words of a parsed text, without its markup. */
function wordsOf(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      switch (block.type) {
        case "list":
          return block.items.map((item) => wordsOf(item.blocks)).join(" ");
        case "quote":
          return wordsOf(block.blocks);
        case "table":
          return [...block.head, ...block.rows.flat()].join(" ");
        case "rule":
          return "";
        default:
          return block.text;
      }
    })
    .join(" ");
}

test("renders the Markdown of notepads: headings, task lists, code, quotes, tables, links [inspector.memory]", () => {
  const [heading, list, code, quote, table, paragraph] = parseMarkdown(
    "## Plan\n- [x] one\n  more of one\n  - inner\n- [ ] two\n\n```ts\na < b\n```\n> said\n\n| a | b |\n|--|:-:|\n| 1 | 2 |\n\nSee **this** and [that](https://example.com/x).",
  );
  assert.deepEqual(heading, { type: "heading", level: 2, text: "Plan" });
  assert.ok(list?.type === "list" && list.items.length === 2);
  assert.deepEqual(
    list.items.map(({ done }) => done),
    [true, false],
  );
  assert.equal(list.items[0]?.blocks[1]?.type, "list", "a nested list");
  assert.deepEqual(code, { type: "code", text: "a < b", language: "ts" });
  assert.equal(quote?.type, "quote");
  assert.deepEqual(table, { type: "table", head: ["a", "b"], rows: [["1", "2"]] });
  assert.ok(paragraph?.type === "paragraph");
  assert.deepEqual(parseInline(paragraph.text), [
    { type: "text", text: "See " },
    { type: "strong", text: "this" },
    { type: "text", text: " and " },
    { type: "link", text: "that", href: "https://example.com/x" },
    { type: "text", text: "." },
  ]);
});

test("a checkbox is toggled on its own line, also in quotes, below other items and after code [inspector.memory]", () => {
  const text =
    "# Plan\n- [ ] one\n  1. [x] inner\n\n```\n- [ ] code\n```\n> - [ ] quoted\n- - [ ] twice\n- [ ] last [ ]";
  const linesIn = (blocks: readonly Block[]): number[] =>
    blocks.flatMap((block) => {
      if (block.type === "quote") return linesIn(block.blocks);
      if (block.type !== "list") return [];
      return block.items.flatMap(({ done, line, blocks: inner }) => [
        ...(done === undefined ? [] : [line]),
        ...linesIn(inner),
      ]);
    });
  assert.deepEqual(linesIn(parseMarkdown(text)), [1, 2, 7, 8, 9]);
  assert.deepEqual(linesIn(parseMarkdown("- [ ] later", 40)), [40]);
  let all = text;
  const done = [1, 2, 7, 8, 9].map((line) => {
    const toggled = toggleTask(all, line);
    all = toggled.text;
    return toggled.done;
  });
  assert.deepEqual(done, [true, false, true, true, true]);
  assert.equal(
    all,
    "# Plan\n- [x] one\n  1. [ ] inner\n\n```\n- [ ] code\n```\n> - [x] quoted\n- - [x] twice\n- [x] last [ ]",
  );
});

test("rendering loses no words, and only safe URLs become links [inspector.naughty]", () => {
  const word = fc.constantFrom(
    "alpha",
    "- ",
    "# ",
    "> ",
    "```",
    "|",
    "|--|",
    "*",
    "_",
    "`",
    "[x](",
    ")",
    "\n",
    "  ",
    "1. ",
    "javascript:x",
    "<b>",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) => {
      const text = words.join("");
      const count = (whole: string) => whole.split("alpha").length - 1;
      // A word after a fence is its language; the test above covers tables.
      if (/```|\|/.test(text)) return;
      assert.equal(count(wordsOf(parseMarkdown(text))), count(text), JSON.stringify(text));
    }),
  );
  for (const text of naughty) {
    parseMarkdown(text);
    for (const span of parseInline(text))
      if (span.type === "link") assert.match(span.href, /^https?:|^mailto:/);
  }
});

test("parses texts crafted to be slow as fast as any other [inspector.naughty]", () => {
  for (const part of [
    "*",
    "`",
    "[",
    "_a",
    "~~",
    "> ",
    "- ",
    "|",
    "# ",
    "\t",
    "[a](",
    "**a",
    "  - x\n",
    "http://",
  ]) {
    const text = part.repeat(32_000 / part.length);
    parseMarkdown(text);
    parseInline(text);
  }
});

const facts: Facts = {
  epoch: 1,
  trigger: "threshold",
  warning: "given",
  skipped: "",
  wrote: true,
  removed: 54,
  user: { whole: 12, cut: 1, leftOut: 3 },
  notepad: { lines: 9, shown: 7 },
  rest: "retrievable",
  readWith: "recall",
};

test("each fact of a compaction is in context, retrievable or lost [inspector.survived]", () => {
  assert.deepEqual(availabilityOf(facts), {
    "in context": ["7 of 9 lines of the notepad", "13 of 16 user messages, 1 of them cut"],
    retrievable: ["54 removed messages, with recall", "2 lines of the notepad, with read_notepad"],
    lost: [],
  });
  assert.equal(describeCompaction(facts), "notepad 7 of 9 lines, 13 of 16 user messages");
  const gone: Facts = {
    ...facts,
    removed: 1,
    user: { whole: 0, cut: 0, leftOut: 0 },
    notepad: { lines: 0, shown: 0 },
    rest: "lost",
    readWith: "",
  };
  assert.deepEqual(availabilityOf(gone), { "in context": [], retrievable: [], lost: ["1 removed message"] });
  assert.equal(describeCompaction(gone), "no notepad, 1 message lost");
});

test("formats a prompt's messages for reading and leaves other text unchanged [inspector.context]", () => {
  const call = JSON.stringify({
    role: "assistant",
    content: [
      { type: "text", text: "Looking." },
      { type: "tool-call", toolName: "read", input: { path: "a" } },
    ],
  });
  assert.match(readablePiece(call, "assistant").body, /^Looking\.\n\n→ read\(\{\n {2}"path": "a"\n\}\)$/);
  assert.equal(
    readablePiece('{"role":"user","content":"cut of', "user").body,
    '{"role":"user","content":"cut of',
  );
  assert.deepEqual(readablePiece("You audit.", "system"), {
    title: "system: You audit.",
    body: "You audit.",
  });
});
