import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelMessage } from "ai";
import type { StoredMessage } from "../context/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { notWritten, saidFacts } from "./facts/said.ts";
import { shortResults } from "./facts/short-results.ts";
import { renderKeptWords } from "./kept-words.ts";

const numbered = (messages: readonly ModelMessage[]): StoredMessage[] =>
  messages.map((message, index) => ({ number: index + 1, message, at: 0 }));
const user = (content: string): ModelMessage => ({ role: "user", content });
const called = (id: string, toolName: string, input: object, value: string): ModelMessage[] => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName, input }] },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: id, toolName, output: { type: "text", value } }],
  },
];

test("what the user states is kept, without questions, requests and remarks without a value [compaction.words]", () => {
  const messages = numbered([
    user("Our staging database is at db-7.internal:5433. It is a nice day."),
    user("Is the cache on port 6380? Please look at src/cache.ts and fix it."),
    user("Never push to release/2. The billing job has 14 workers since the move to eu-west-3."),
  ]);
  assert.deepEqual(saidFacts({ messages, to: 3 }), [
    "Our staging database is at db-7.internal:5433.",
    "The billing job has 14 workers since the move to eu-west-3.",
  ]);
});

test("what was stated long ago is carried from checkpoint to checkpoint [compaction.words]", () => {
  let earlier: string[] = ["The master key is in vault/k-12."];
  for (let epoch = 0; epoch < 10; epoch++)
    earlier = saidFacts({
      messages: numbered([user(`Part ${epoch} is in src/p${epoch}.ts.`)]),
      to: 1,
      earlier,
    });
  assert.equal(earlier[0], "The master key is in vault/k-12.");
  assert.equal(earlier.length, 11);
});

test("short results are kept with their call: the newest of each, not of files that were written since [compaction.words-results]", () => {
  const messages = numbered([
    ...called("1", "read", { path: "config/a.yaml" }, "limit: 40"),
    ...called("2", "read", { path: "config/b.yaml" }, "limit: 70"),
    ...called("3", "bash", { command: "wc -l src/a.ts" }, "120 src/a.ts"),
    ...called("4", "bash", { command: "wc -l src/a.ts" }, "131 src/a.ts"),
    ...called("5", "bash", { command: "true" }, "ok"),
    ...called("6", "read", { path: "src/long.ts" }, "x 1\n".repeat(100)),
    ...called("7", "recall", { query: "limit" }, "limit: 40"),
    ...called(
      "8",
      "edit",
      { path: "config/b.yaml", old_string: "70", new_string: "80" },
      "edited config/b.yaml",
    ),
  ]);
  const results = shortResults(messages, [], new Set(["recall"]));
  assert.deepEqual(
    results.map(({ call, result }) => [call, result]),
    [
      ["read config/a.yaml", "limit: 40"],
      ["wc -l src/a.ts", "131 src/a.ts"],
    ],
  );
  const shown = renderKeptWords({ said: ["The port is 5433."], results }, 200, estimateTokens);
  assert.match(
    shown,
    /The user said:\n- The port is 5433\.\nShort results:\n- read config\/a\.yaml → limit: 40/,
  );
});

test("what is kept word for word stays within its tokens, newest first [compaction.words]", () => {
  const said = Array.from({ length: 40 }, (_, index) => `Value ${index} of unit-${index} is ${index * 7}.`);
  const shown = renderKeptWords({ said }, 200, estimateTokens);
  assert.ok(estimateTokens(shown) <= 240, `${estimateTokens(shown)} tokens`);
  assert.ok(shown.includes("unit-39") && !shown.includes("unit-0 "));
  assert.equal(renderKeptWords({}, 200, estimateTokens), "");
});

test("a statement that the agent has written down is not kept a second time [compaction.words]", () => {
  const said = ["The port of api-2 is 8080.", "The port of api-3 is 9090."];
  assert.deepEqual(notWritten(said, "# Ports\n- port of api-2: 8080\n- port of api-3: 9191"), [
    "The port of api-3 is 9090.",
  ]);
});
