import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { everyStore } from "../../test/support/every-store.ts";
import { everything, openTestMemory } from "../../test/support/memory.ts";
import { isHoldfastError, type Memory, type Session } from "../index.ts";

/** Difficult text: lone surrogates, NUL, all line endings, zero-width characters, right-to-left. */
const hard = fc.constantFrom(
  "\ud800",
  "\udc00",
  "\u0000",
  "\r\n",
  "\r",
  "\ufeff",
  "\u202e",
  "\u200d",
  "\ufffd",
  "\uffff",
  "\u{10ffff}",
  "é",
  "e\u0301",
  "İ",
  "ẞ",
  "'",
  '"',
  "\\",
  "$&",
  "\u2028",
);
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.array(fc.oneof(hard, fc.string({ maxLength: 3 })), { maxLength: 6 }).map((parts) => parts.join("")),
  // Lone surrogates that a join completes, and pairs that a cut splits.
  fc.array(fc.constantFrom("\ud83d", "\ude00", "a"), { maxLength: 6 }).map((units) => units.join("")),
);

type Step = { name: string; texts: string[] };

const steps: Record<string, (session: Session, texts: string[], memory: Memory) => Promise<unknown>> = {
  write: (session, [text = ""]) => session.notepad.write(text),
  append: (session, [text = ""]) => session.notepad.append(text),
  replace: (session, [find = "", replacement = ""]) =>
    session.notepad.replace(find, replacement, { all: true }),
  delete: (session, [text = ""]) => session.notepad.delete(text),
  add: (session, [content = "", ...tags]) => session.notes.add(content, tags),
  update: async (session, [content = "", tag = ""]) => {
    const [newest] = await session.notes.all();
    return newest && session.notes.update(newest.id, { content, tags: [tag] });
  },
  search: async (session, [query = "", tag]) =>
    (await session.notes.search({ query, tags: tag ? [tag] : [] })).notes,
  plan: (session, [text = ""]) => session.scratchpad.setPlan(text),
  ref: (session, [text = ""]) => session.scratchpad.addRef(text),
  keyed: (session, [key = "", text = ""]) =>
    session.notepad.append(text, { key, actor: { kind: "agent", name: key } }),
  message: (session, [name = "", text = ""]) =>
    session.apply({ type: "messages.add", messages: [{ [name]: text }] }),
  rename: (session, [title = ""]) => session.apply({ type: "session.rename", title }),
  spawn: async (session, [title = ""], memory) =>
    (await (await memory.spawnSession(session.id, { title })).state()).row.title,
};

const plan = fc.array(
  fc.record({
    name: fc.constantFrom(...Object.keys(steps)),
    texts: fc.array(anyText, { minLength: 2, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 8 },
);

/** Everything a user can observe: answers, errors, and the final state. */
async function play(memory: Memory, id: string, script: Step[]): Promise<unknown> {
  const session = await memory.createSession({ id });
  const answers: unknown[] = [];
  for (const { name, texts } of script) {
    try {
      answers.push(await steps[name]?.(session, texts, memory));
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      answers.push([error.code, error.message]);
    }
  }
  const seen = {
    answers,
    end: await everything(session),
    history: await session.history(),
    tags: await session.records("tag"),
    exported: await memory.exportSession(id),
  };
  // Through JSON, because a missing field and an undefined one are the same to a user.
  return JSON.parse(JSON.stringify(seen));
}

test("any text yields the same answers, errors and memory in every store [stores.unicode] [bad.text]", async (context) => {
  const stores = await everyStore();
  const memories: { name: string; memory: Memory }[] = [];
  for (const { name, store } of stores) {
    let made = 0;
    // A frozen clock and sequential ids, so that all stores produce the same values.
    const memory = await openTestMemory({
      store,
      clock: () => 1_700_000_000_000,
      makeId: () => `made-${++made}`,
    });
    context.after(() => memory.close());
    memories.push({ name, memory });
  }
  let round = 0;
  await fc.assert(
    fc.asyncProperty(plan, async (script) => {
      const id = `round-${++round}`;
      const [expected, ...others] = await Promise.all(memories.map(({ memory }) => play(memory, id, script)));
      for (const [index, seen] of others.entries())
        assert.deepEqual(seen, expected, memories[index + 1]?.name);
    }),
    { numRuns: 70 },
  );
  // Compare again after reopening, from storage instead of memory.
  const [expected, ...reopened] = memories;
  for (const { name, memory } of reopened) {
    await memory.close();
    const fresh = await openTestMemory({ store: stores.find((each) => each.name === name)?.store as string });
    context.after(() => fresh.close());
    for (let number = 1; number <= round; number++) {
      const [found, original] = [
        await fresh.resumeSession(`round-${number}`),
        await expected?.memory.resumeSession(`round-${number}`),
      ];
      assert.deepEqual(await everything(found), await everything(original as Session), `${name} ${number}`);
    }
  }
});

test("NUL is rejected by name, a lone surrogate becomes U+FFFD, CRLF and BOM are kept [stores.unicode] [bad.text]", async (context) => {
  for (const { name, store } of await everyStore()) {
    const memory = await openTestMemory({ store });
    context.after(() => memory.close());
    const session = await memory.createSession({ id: "a" });
    await session.notepad.write("\ufeffa\r\nb\rc\n\ud800d\udfff");
    assert.equal(await session.notepad.read(), "\ufeffa\r\nb\rc\n\ufffdd\ufffd", name);
    for (const text of ["\u0000", "a\u0000b"]) {
      const before = await everything(session);
      const attempts = [
        () => session.notepad.write(text),
        () => session.notes.add(text, []),
        () => session.notes.add("x", [text]),
        () => session.scratchpad.addRef(text),
        () => session.notepad.append("x", { key: text }),
        () => session.notepad.append("x", { actor: { kind: "person", name: text } }),
        () => memory.createSession({ title: text }),
      ];
      for (const attempt of attempts) {
        await assert.rejects(
          attempt(),
          (error) =>
            isHoldfastError(error) && error.code === "invalid_input" && /NUL character/.test(error.message),
        );
      }
      assert.deepEqual(await everything(session), before, name);
    }
  }
});
