import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Compaction, type Message, traceItems } from "../src/compaction/trace-items.ts";
import { readablePiece } from "../src/context/readable-piece.ts";
import { type Block, parseInline, parseMarkdown } from "../src/markdown.ts";
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

const message = (number: number, ...texts: string[]): Message => ({
  number,
  at: null,
  role: "assistant",
  aside: false,
  inContext: "summarised",
  parts: texts.map((text) => ({ type: "text", text, tool: null, callId: null, isError: false, cut: false })),
});

test("traces each item from its message to where it is now [inspector.survived]", () => {
  const compaction = {
    summary:
      "[Summary of the conversation so far]\nThe port is 5432.\n[End of summary]\n\n[Checkpoint]\nE-7; 5432",
    checkpoint: { text: "[Checkpoint]\nE-7; 5432" },
    receipt: {
      kept: [
        { kind: "note", text: "- a\n- b" },
        { kind: "number", text: "5432" },
        { kind: "id", text: "E-7" },
        { kind: "path", text: "src/kept.ts" },
        { kind: "url", text: "http://back.example" },
      ],
      putBack: [{ kind: "url", text: "http://back.example" }],
      recallable: [{ kind: "number", text: "99" }],
      missing: [{ kind: "ask", text: "Why?" }],
      needed: [],
    },
  } as unknown as Compaction;
  const traced = traceItems(compaction, {
    memory: "## Findings\n- a\n- b",
    messages: [
      message(3, '{"content":"- a\\n- b"}', "E-7"),
      message(4, "port 5432, file src/kept.ts, 99, http://back.example"),
    ],
  });
  assert.deepEqual(
    traced.map(({ text, home, sources }) => [text, home, ...sources]),
    [
      ["- a\n- b", "memory", 3],
      ["5432", "summary", 4],
      ["E-7", "checkpoint", 3],
      ["src/kept.ts", "window", 4],
      ["http://back.example", "put-back", 4],
      ["99", "recallable", 4],
      ["Why?", "missing"],
    ],
  );
});

test("what the agent is likely to need comes first, the rest in the receipt's order [inspector.survived]", () => {
  const item = (text: string) => ({ kind: "path", text });
  const compaction = {
    summary: "",
    checkpoint: null,
    receipt: {
      kept: ["a.ts", "b.ts", "c.ts:12", "d.ts"].map(item),
      putBack: [],
      recallable: ["e.ts"].map(item),
      missing: [],
      needed: ["c.ts", "e.ts", "npm test", "b.ts"],
    },
  } as unknown as Compaction;
  assert.deepEqual(
    traceItems(compaction, { memory: "", messages: [] }).map(({ text }) => text),
    ["c.ts:12", "e.ts", "b.ts", "a.ts", "d.ts"],
  );
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
