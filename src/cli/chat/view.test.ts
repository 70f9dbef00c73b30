import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "../../engine/records.ts";
import { eventLine, textView } from "./view.ts";

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

test("an answer appears as it arrives, and once [chat.view]", (context) => {
  const written: string[] = [];
  const view = textView({ streaming: true });
  context.mock.method(process.stdout, "write", (text: string) => written.push(text));
  context.mock.method(process.stderr, "write", (text: string) => written.push(text));
  view.event({ type: "text", text: "I look" });
  view.event({ type: "text", text: "." });
  view.event({ type: "tool-call", id: "1", tool: "read_file", input: { path: "plan.txt" } });
  view.event({ type: "tool-result", id: "1", tool: "read_file", text: "1\tship it", isError: false });
  view.event({ type: "text", text: "Ship it." });
  view.event({ type: "receipt", receipt });
  const result = { text: "Ship it.", steps: 2, wroteMemory: false, compacted: true, end: "done" } as const;
  view.end("s", { ok: true, result });
  context.mock.restoreAll();
  assert.deepEqual(written, [
    "I look",
    ".",
    "\n",
    "· read_file path=plan.txt\n",
    "  → 1 ship it\n",
    "Ship it.",
    "\n",
    "5 messages retrievable, 900 → 100 tokens.\n",
  ]);
});
