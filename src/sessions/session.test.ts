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

test("search results are the same before, during and after indexing [notes.search-index]", async () => {
  const session = await (await openTestMemory()).createSession();
  for (let index = 0; index < 700; index++)
    await session.notes.add(`finding ${index} in sheet_${index % 9}.xlsx`);
  const find = async (query: string) => {
    const { total, notes, ranked } = await session.notes.search({ query, limit: 5 });
    return { total, ranked, first: notes.map(({ content }) => content) };
  };
  const queries = ["finding 69", "SHEET_3", "ing 7", ".xlsx", "sheet_3.xlsx finding"];
  const scanned = await Promise.all(queries.map(find));
  for (let round = 0; round < 5; round++) {
    assert.deepEqual(await Promise.all(queries.map(find)), scanned);
    await new Promise((proceed) => setImmediate(proceed));
  }
  const index = await session.noteIndex();
  while (index.needsIndex) index.indexSome(50);
  assert.deepEqual(await Promise.all(queries.map(find)), scanned);
  await session.notes.add("finding 699 again, in sheet_3.xlsx");
  assert.deepEqual(await find("finding 699"), {
    total: 2,
    ranked: false,
    first: ["finding 699 again, in sheet_3.xlsx", "finding 699 in sheet_6.xlsx"],
  });
});
