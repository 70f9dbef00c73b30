import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "../../engine/records.ts";
import { eventLine, startSpinner, wordWrapper } from "./view.ts";

const receipt: Receipt = {
  epoch: 1,
  trigger: "host",
  from: 1,
  to: 5,
  summaryBy: "model",
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

for (const [summaryBy, note] of [
  ["model", ""],
  ["deterministic", ", written by Holdfast without a model"],
  ["unknown", ", written by the coding agent"],
] as const)
  test(`a summary by "${summaryBy}" is attributed to its writer [chat.commands]`, () => {
    const event = { type: "compaction", trigger: "host", from: 1, to: 5, summary: "s", summaryBy } as const;
    assert.equal(eventLine(event), `Compacted: the older messages are now a summary${note}.`);
  });

test("a receipt is one line with the state of the removed messages [chat.commands]", () => {
  assert.equal(eventLine({ type: "receipt", receipt }), "5 messages retrievable, 900 → 100 tokens.");
});

test("text that arrives in pieces is wrapped between words [chat.view]", () => {
  let written = "";
  const wrapper = wordWrapper(
    (text) => (written += text),
    () => 20,
  );
  const text = "The total of EMEA is wrong:\n  July is counted twice, in rows 251-267.\n\nDone.";
  for (let at = 0; at < text.length; at += 3) wrapper.write(text.slice(at, at + 3));
  wrapper.end();
  assert.equal(
    written,
    "The total of EMEA is\nwrong:\n  July is counted\ntwice, in rows\n251-267.\n\nDone.\n",
  );
});

test("a spinner counts seconds on a terminal, and leaves nothing behind [chat.view]", (context) => {
  context.mock.timers.enable({ apis: ["setInterval", "Date"] });
  const written: string[] = [];
  const stream = { isTTY: true, write: (text: string) => written.push(text) };
  const stop = startSpinner("thinking", stream as unknown as NodeJS.WriteStream);
  context.mock.timers.tick(200);
  assert.deepEqual(written, [], "a short wait shows nothing");
  context.mock.timers.tick(3_000);
  const last = written.join("").split("\r\u001b[2K").at(-1) ?? "";
  assert.equal(last.slice(1), " thinking, 3 s");
  stop();
  assert.equal(written.at(-1), "\r\u001b[2K");
  const before = written.length;
  context.mock.timers.tick(1_000);
  assert.equal(written.length, before);
  startSpinner("x", { ...stream, isTTY: false } as unknown as NodeJS.WriteStream)();
  assert.equal(written.length, before, "a pipe gets nothing");
});
