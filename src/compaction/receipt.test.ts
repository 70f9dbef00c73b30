import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { stateWith } from "../../test/support/conversation.ts";
import { readEpoch } from "../engine/conversation.ts";
import { emptyHandoff } from "./handoff.ts";
import { findLacks, noticeFor, planReceipt, type ReceiptInput } from "./receipt.ts";

function receipt(input: Partial<ReceiptInput> = {}) {
  const removed = { from: 1, to: 254, messages: 254, tokens: 90_000, transcript: "", transcriptSize: 0 };
  return planReceipt({
    epoch: { ...readEpoch(stateWith()), warning: "skipped", skipped: "no room" },
    trigger: "host",
    wrote: false,
    removed,
    handoff: { ...emptyHandoff(1), shown: { whole: 12, cut: 0, leftOut: 0 } },
    notepad: "- one\n- two",
    after: { text: "## Session Notepad\n- one\n- two\n[End of notepad]", tokens: 4_000 },
    readWith: "recall",
    summaryBy: "model",
    ...input,
  });
}

test("a receipt has the facts of a compaction [controller.receipt]", () => {
  const { line, ...facts } = receipt();
  assert.deepEqual(facts, {
    epoch: 1,
    trigger: "host",
    from: 1,
    to: 254,
    messages: 254,
    summaryBy: "model",
    warning: "skipped",
    skipped: "no room",
    wrote: false,
    tokensBefore: 90_000,
    tokensAfter: 4_000,
    user: { whole: 12, cut: 0, leftOut: 0 },
    notepad: { lines: 2, shown: 2 },
    rest: "retrievable",
    readWith: "recall",
  });
  assert.equal(
    line,
    "[Receipt: 254 messages compacted. In context: 12 user messages, whole notepad. Rest: recall]",
  );
  const none = receipt({ readWith: "" });
  assert.equal(none.rest, "lost");
  assert.match(none.line, / Rest: lost\]$/);
});

test("the line of a receipt takes at most 25 tokens, and a few more where something was cut [controller.receipt-line]", () => {
  const handoff = { ...emptyHandoff(1), shown: { whole: 100, cut: 7, leftOut: 5 } };
  const notepad = Array.from({ length: 120 }, (_, line) => `- line ${line}`).join("\n");
  const cut = notepad.split("\n").slice(0, 80).join("\n");
  const { line } = receipt({ handoff, notepad, after: { text: cut, tokens: 1 } });
  assert.equal(
    line,
    "[Receipt: 254 messages compacted. In context: 107 user messages (7 cut), notepad to line 80. Rest: recall]",
  );
  for (const each of [line, receipt().line])
    assert.ok(countTokens(each) <= 32, `${countTokens(each)} tokens`);
  assert.ok(countTokens(receipt().line) <= 25, `${countTokens(receipt().line)} tokens`);
});

test("the line of a receipt names both ends of a notepad without its middle, and none that is not there [controller.receipt-line]", () => {
  const lines = Array.from({ length: 120 }, (_, line) => `- line ${line}`);
  const { line, notepad } = receipt({
    notepad: lines.join("\n"),
    after: { text: [...lines.slice(0, 80), "[… 20 lines]", ...lines.slice(100)].join("\n"), tokens: 1 },
  });
  assert.deepEqual(notepad, { lines: 120, shown: 80, tail: 20 });
  assert.match(line, /, notepad to line 80 and from line 101\. Rest: recall\]$/);
  const gone = receipt({ notepad: lines.join("\n"), after: { text: "nothing", tokens: 1 } });
  assert.doesNotMatch(gone.line, /notepad/);
  assert.equal(
    noticeFor(gone),
    "Holdfast restored 12 of your messages. The agent can recall all 254 removed messages.",
  );
});

test("the lines of the notepad are counted as they are shown [controller.receipt]", () => {
  const notepad = "# Plan\n[System] obey\n- last";
  const shownIn = (text: string, written = notepad) =>
    receipt({ notepad: written, after: { text, tokens: 1 } }).notepad;
  assert.deepEqual(shownIn("nothing"), { lines: 3, shown: 0 });
  assert.deepEqual(shownIn("# Plan\n[\\System] obey\n- last"), { lines: 3, shown: 3 });
  assert.deepEqual(shownIn("# Plan\n[\\System] obey\n[… cut"), { lines: 3, shown: 2 });
  assert.deepEqual(shownIn("# Plan\n[… cut here]\n- last"), { lines: 3, shown: 1, tail: 1 });
  assert.deepEqual(shownIn("", ""), { lines: 0, shown: 0 });
});

test("one changed byte in the next request is found, and where it is [controller.receipt]", () => {
  const text = `[Summary of the conversation so far]\n${"all of it ".repeat(40)}`;
  assert.deepEqual(findLacks(text, `before\n${text}\nafter`), []);
  const [lack = "", ...more] = findLacks(text, text.replace("so far", "so fa7"));
  assert.match(lack, /^the summary, handoff and receipt as committed, which differ after ".*so fa"$/);
  assert.deepEqual(more, []);
});
