import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Receipt, receiptFacts } from "../src/compaction/receipt-facts.ts";
import { summaryText } from "../src/compaction/summary-text.ts";
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

const receipt: Receipt = {
  epoch: 1,
  trigger: "threshold",
  warning: "given",
  skipped: "",
  from: 1,
  to: 54,
  summaryBy: "model",
  tokensBefore: 3_783,
  tokensAfter: 2_260,
  tokensBy: "estimate",
  removed: 54,
  user: { whole: 12, cut: 1, leftOut: 3 },
  notepad: { lines: 9, shown: 7 },
  rest: "retrievable",
  readWith: "recall",
  line: "",
};

const factsOf = (changes: Partial<Receipt>) => receiptFacts({ ...receipt, ...changes });

test("a receipt is a list of facts in plain words [inspector.survived]", () => {
  assert.deepEqual(
    factsOf({ verified: { call: 8 } }).map(({ text }) => text),
    [
      "54 messages (1 to 54) left the window. They are retrievable with recall.",
      "The user's messages: 12 in context whole, 1 in context cut, 3 left out.",
      "The notepad: 7 of 9 lines in context.",
      "The agent was warned.",
      "Verified against the request of call 8.",
    ],
  );
  assert.deepEqual(
    factsOf({
      trigger: "host",
      warning: "skipped",
      skipped: "the host compacts without telling the agent first",
      removed: 1,
      user: { whole: 0, cut: 0, leftOut: 0 },
      notepad: { lines: 0, shown: 0 },
      rest: "lost",
      readWith: "",
    }).map(({ text }) => text),
    [
      "1 message left the window. It is lost.",
      "No message of the user is in the handoff.",
      "The notepad was empty.",
      "The agent was not warned: the host compacts without telling the agent first.",
      "Not verified against a request.",
    ],
  );
});

test("a receipt marks lost messages and a request that lacks something [inspector.survived]", () => {
  const marked = (changes: Partial<Receipt>) =>
    factsOf(changes).flatMap(({ text, isBad }) => (isBad ? [text] : []));
  assert.deepEqual(marked({}), []);
  assert.deepEqual(marked({ rest: "lost", readWith: "" }), [
    "54 messages (1 to 54) left the window. They are lost.",
  ]);
  assert.deepEqual(marked({ mismatch: { call: 3, lacks: ["the summary", "the receipt"] } }), [
    "Not verified: the request of call 3 lacked the summary; the receipt.",
  ]);
  assert.deepEqual(
    marked({ removed: 0, rest: "lost", readWith: "" }),
    [],
    "it is not known what was removed",
  );
});

test("the summary is shown without the handoff and the receipt that follow it [inspector.survived]", () => {
  const summary = "[Summary of the conversation so far]\nThe port is 5432.\n[End of summary]";
  const whole = `${summary}\n\n[Handoff: the conversation before the compaction]\nE-7\n[End of handoff]\n\n[Receipt: 2 messages compacted.]`;
  assert.equal(summaryText(whole), "The port is 5432.");
  assert.equal(summaryText("A host's own words"), "A host's own words");
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
