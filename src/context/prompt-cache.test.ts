import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type CachedMessage,
  cacheKindOf,
  planCacheMarks,
  withCacheKey,
  withCacheMark,
} from "./prompt-cache.ts";

const system: CachedMessage = { role: "system", content: "memory" };
const user = (content: string): CachedMessage => ({ role: "user", content });
const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };

test("marks the tools, the system prompt, the summary and the end [cache.marks]", () => {
  const messages = [
    system,
    user("summary"),
    user("ask"),
    { role: "assistant", content: "done" },
    user("more"),
  ];
  const plan = planCacheMarks(messages, [{}, {}], 1);
  assert.deepEqual([plan.tools, [...plan.messages].sort()], [true, [0, 1, 4]]);
  assert.deepEqual(planCacheMarks([system, user("ask")], [], undefined), {
    tools: false,
    messages: new Set([1, 0]),
  });
});

test("never more than four marks with the caller's own, which stay [cache.marks]", () => {
  const own = { role: "user", content: [{ type: "text", text: "long", providerOptions: mark }] };
  const messages = [system, user("summary"), own, user("ask")];
  const plan = planCacheMarks(messages, [{}], 1);
  assert.deepEqual([plan.tools, [...plan.messages].sort()], [false, [0, 1, 3]]);
  const four = [0, 1, 2, 3].map((number) => withCacheMark(user(`part ${number}`)));
  assert.deepEqual(planCacheMarks([system, ...four], [{}], undefined), { tools: false, messages: new Set() });
  const legacy = { ...user("ask"), providerOptions: { anthropic: { cache_control: {} } } };
  assert.deepEqual(
    planCacheMarks([legacy], [], undefined).messages,
    new Set(),
    "a marked end stays as it is",
  );
});

test("thinking and empty text cannot end a cached prefix [cache.marks]", () => {
  const thinking = { role: "assistant", content: [{ type: "reasoning", text: "hm" }] };
  const empty = { role: "assistant", content: [{ type: "text", text: "" }] };
  assert.deepEqual(planCacheMarks([user("ask"), thinking, empty], [], undefined).messages, new Set([0]));
});

test("a key goes to providers that take one, and the caller's key wins [cache.key]", () => {
  assert.deepEqual(
    [
      "anthropic.messages",
      "vertex.anthropic.messages",
      "anthropic/claude-x",
      "openai.responses",
      "openai/gpt",
    ].map(cacheKindOf),
    ["marks", "marks", "marks", "key", "key"],
  );
  assert.deepEqual(["google.generative-ai", "openai-compatible.chat"].map(cacheKindOf), ["none", "none"]);
  const options = withCacheKey({ openai: { store: false } }, "s".repeat(100));
  assert.deepEqual(options, { openai: { promptCacheKey: `holdfast-${"s".repeat(55)}`, store: false } });
  assert.equal(withCacheKey({ openai: { promptCacheKey: "mine" } }, "s").openai?.promptCacheKey, "mine");
});
