import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "../../engine/records.ts";
import { eventLine, receiptText, statusLine } from "./lines.ts";

const receipt: Omit<Receipt, "summaryBy"> = {
  epoch: 1,
  trigger: "host",
  from: 1,
  to: 5,
  warning: "skipped",
  skipped: "there was no room",
  wrote: false,
  messages: 5,
  user: { whole: 2, cut: 1, leftOut: 1 },
  notepad: { lines: 9, shown: 4 },
  rest: "retrievable",
  readWith: "recall",
  tokensBefore: 900,
  tokensAfter: 100,
  line: "",
};

for (const [summaryBy, note, by] of [
  ["model", "", "the model"],
  ["deterministic", ", written without the model", "Holdfast, without a model"],
  ["unknown", ", written by the host", "the host"],
] as const)
  test(`a summary by "${summaryBy}" is attributed to ${by} [chat.commands]`, () => {
    const event = { type: "compaction", trigger: "host", from: 1, to: 5, summary: "s", summaryBy } as const;
    assert.equal(eventLine(event), `Compacted: messages 1 to 5 are now a summary${note}.`);
    assert.match(receiptText({ ...receipt, summaryBy }), new RegExp(`, summary by ${by}\\.\n`));
  });

test("a receipt is printed as facts, in three words [chat.commands]", () => {
  assert.deepEqual(
    receiptText({ ...receipt, summaryBy: "model" })
      .split("\n")
      .slice(1),
    [
      "  messages      5 messages removed, retrievable with recall",
      "  user's words  2 in context, 1 in context without the middle, 1 retrievable",
      "  notepad       4 of 9 lines in context, the rest retrievable with read_notepad",
      "  warning       not given: there was no room",
    ],
  );
});

test("the status line says how full the window is, in words [chat.commands]", () => {
  const usage = { system: 0, tools: 0, memory: 0, summaries: 0, history: 0, results: 0, free: 0, total: 640 };
  const status = { usage, contextWindow: 8_000, epoch: 1, notepad: "" };
  assert.equal(statusLine(status), "8 % full · 0 compactions · notepad empty");
  assert.equal(
    statusLine({ ...status, epoch: 2, notepad: "abc" }),
    "8 % full · 1 compaction · notepad 3 characters",
  );
});
