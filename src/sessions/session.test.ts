import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { everything, openTestMemory } from "../../test/support/memory.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";

for (const kind of ["memory", "sqlite"]) {
  test(`the ${kind} store copies what it receives and returns [engine.pure]`, async () => {
    const store = kind === "memory" ? "memory:" : join(temporaryDirectory(), "memory.db");
    const memory = await openTestMemory({ store });
    const session = await memory.createSession();
    const tags = ["given"];
    const refs = ["src/a.ts"];
    const message = { role: "user", parts: ["one"] };
    const { result } = await session.notes.add("a note", tags);
    await session.scratchpad.setRefs(refs);
    await session.apply({ type: "messages.add", messages: [message] });
    const before = await everything(session);

    tags.push("later");
    refs.push("later");
    message.parts.push("later");
    result.note.tags.push("later");
    (await session.notes.get(result.note.id))?.tags.push("later");
    for (const note of await session.notes.all()) note.tags.push("later");
    for (const note of (await session.notes.search({ query: "note" })).notes) note.tags.push("later");
    (await session.scratchpad.read()).refs.push("later");
    for (const tag of await session.notes.tags()) tag.notes = 99;
    assert.deepEqual(await everything(session), before);
    assert.equal((await session.notes.search({ tags: ["later"] })).total, 0);
    await memory.close();
  });
}
