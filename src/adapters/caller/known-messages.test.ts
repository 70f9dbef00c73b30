import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelMessage } from "ai";
import fc from "fast-check";
import { openTestSession } from "../../../test/support/memory.ts";
import type { Session } from "../../index.ts";
import { conversationOf } from "./caller-session.ts";
import { fingerprint } from "./known-messages.ts";

const words = fc.constantFrom("continue", "yes", "no", "go on");

const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  words.map((content): ModelMessage => ({ role: "user", content })),
  words.map((content): ModelMessage => ({ role: "assistant", content })),
  fc.constantFrom("a", "b").map(
    (toolCallId): ModelMessage => ({
      role: "assistant",
      content: [{ type: "tool-call", toolCallId, toolName: "read", input: {} }],
    }),
  ),
  fc.constantFrom("a", "b").map(
    (toolCallId): ModelMessage => ({
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName: "read", output: { type: "text", value: "x" } }],
    }),
  ),
);

async function sessionWith(messages: readonly ModelMessage[]): Promise<Session> {
  const session = await openTestSession();
  const values = messages.map((each) => ({ message: JSON.parse(JSON.stringify(each)), at: 0 }));
  if (values.length > 0) await session.apply({ type: "messages.add", messages: values });
  await conversationOf(session).known.catchUp(session);
  return session;
}

test("aligns a list that continues the stored messages, message by message [aisdk.alignment]", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 12 }), fc.nat(12), async (messages, dropped) => {
      const session = await sessionWith(messages);
      const list = [...structuredClone(messages), { role: "user", content: "something never said" } as const];
      const numbers = messages.map((_, index) => index + 1);
      assert.deepEqual(conversationOf(session).known.align(list), numbers);
      // Also for callers that keep only the newest messages; at worst, equal messages are confused.
      const tail = list.slice(dropped);
      const known = conversationOf(session).known.align(tail);
      assert.equal(known.length, Math.max(0, tail.length - 1));
      for (const [index, number] of known.entries()) {
        assert.equal(
          fingerprint(messages[number - 1] as ModelMessage),
          fingerprint(tail[index] as ModelMessage),
        );
        assert.ok(index === 0 || number > (known[index - 1] ?? 0), "numbers always increase");
      }
    }),
    { numRuns: 150 },
  );
});

test("everything is new from an edited message on, but not after an omitted one [aisdk.alignment]", async () => {
  const said = (role: "user" | "assistant", content: string): ModelMessage => ({ role, content });
  const messages = [said("user", "one"), said("assistant", "1"), said("user", "two"), said("assistant", "2")];
  const known = conversationOf(await sessionWith(messages)).known;
  assert.deepEqual(known.align([said("user", "one"), said("assistant", "edited"), said("user", "two")]), [1]);
  assert.deepEqual(
    known.align([said("user", "one"), said("user", "two"), said("assistant", "2")]),
    [1, 3, 4],
  );
  assert.deepEqual(known.align([said("user", "never")]), []);
});

test("the same text is a new turn once it was answered, and the same turn until then [aisdk.alignment]", async () => {
  const asked: ModelMessage = { role: "user", content: "continue" };
  assert.deepEqual(conversationOf(await sessionWith([asked])).known.align([structuredClone(asked)]), [1]);
  const answered = await sessionWith([asked, { role: "assistant", content: "done" }]);
  assert.deepEqual(conversationOf(answered).known.align([structuredClone(asked)]), []);
});

test("messages of a warning turn match nothing in a caller's list [aisdk.alignment]", async () => {
  const session = await sessionWith([{ role: "user", content: "go" }]);
  const inWarning = { message: { role: "assistant", content: "saved" }, at: 0, inWarning: true };
  await session.apply({ type: "messages.add", messages: [inWarning] });
  const known = conversationOf(session).known;
  await known.catchUp(session);
  assert.deepEqual(
    known.align([{ role: "user", content: "go" }]),
    [1],
    "the question still waits for its answer",
  );
  assert.deepEqual(known.align([{ role: "assistant", content: "saved" }]), []);
});

test("a message is the same however it was converted [aisdk.alignment]", () => {
  const same = (...messages: ModelMessage[]) => assert.equal(new Set(messages.map(fingerprint)).size, 1);
  same(
    { role: "user", content: "a\u0000b" },
    {
      role: "user",
      content: [
        { type: "text", text: "a\ufffd" },
        { type: "text", text: "b" },
      ],
    },
    { role: "user", content: [{ type: "text", text: "a\ufffdb", providerOptions: { x: { y: 1 } } }] },
  );
  const result = (toolCallId: string, value: string) => ({
    type: "tool-result" as const,
    toolCallId,
    toolName: "t",
    output: { type: "text" as const, value },
  });
  same(
    { role: "tool", content: [result("a", "long")] },
    { role: "tool", content: [result("a", "stub"), result("b", "joined")] },
  );
  assert.notEqual(
    fingerprint({ role: "user", content: "a" }),
    fingerprint({ role: "assistant", content: "a" }),
  );
  assert.notEqual(fingerprint({ role: "user", content: "ab" }), fingerprint({ role: "user", content: "ba" }));
});
