import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { memoryStore } from "../stores/memory.ts";
import type { Store } from "../stores/store.ts";

test("concurrent searches at different revisions each see at least the notes at their start [notes.search-index]", async () => {
  const inner = memoryStore();
  const writing = await openTestMemory({ store: inner });
  const writer = await writing.createSession({ id: "s" });
  const { result } = await writer.notes.add("first text");

  let blocked: (() => void)[] | undefined;
  const store: Store = {
    ...inner,
    journal: async (scope, selection) => {
      const entries = await inner.journal(scope, selection);
      if (blocked) await new Promise<void>((release) => blocked?.push(release));
      return entries;
    },
  };
  const reader = await (await openTestMemory({ store })).resumeSession("s");
  const find = async (query: string) =>
    (await reader.notes.search({ query })).notes.map(({ content }) => content);
  assert.deepEqual(await find("text"), ["first text"]);

  blocked = [];
  await writer.notes.update(result.note.id, { content: "second text" });
  const early = find("text");
  while (blocked.length < 1) await new Promise((proceed) => setImmediate(proceed));
  await writer.notes.update(result.note.id, { content: "third text" });
  const late = find("text");
  await new Promise((proceed) => setImmediate(proceed));
  const waiting = blocked;
  blocked = undefined;
  for (const release of waiting.toReversed()) release();
  assert.match((await early)[0] ?? "", /^(?:second|third) text$/);
  assert.deepEqual(await late, ["third text"]);
  assert.deepEqual(await find("text"), ["third text"]);
});
