import assert from "node:assert/strict";
import { test } from "node:test";
import { holdfastWith } from "../../test/support/people.ts";
import { call, startTestServer } from "../../test/support/server.ts";

test("the page and the CLI find the same hits in the same order [serve.search] [people.search]", async (context) => {
  const { server, memory, path } = await startTestServer(context);
  const colours = ["red", "green", "blue"];
  for (let number = 0; number < 12; number++) {
    const colour = colours[number % 3] as string;
    const session = await memory.createSession({ id: `s${number}`, title: `A ${colour} session` });
    await session.notepad.write(`line one\n${colour} things, ${colours[number % 2]} as well\n`.repeat(3));
    await session.notes.add(`the ${colour}ish one is number ${number}`, [colour]);
    await session.scratchpad.addRef(`src/${colour}.ts`);
  }
  await memory.archiveSession("s4");
  for (const query of ["green", "gren things", "number", "A red session", "nowhere at all"]) {
    const { hits, total } = await call(server, "search", { query: { q: query, status: "all", limit: 20 } });
    const { stdout } = await holdfastWith({ HOLDFAST_DB: path }, "search", query, "--json");
    const shown = JSON.parse(stdout);
    assert.equal(total, shown.total, query);
    assert.deepEqual(
      hits.map(({ sessionId, kind, noteId, score }) => [sessionId, kind, noteId, score]),
      shown.hits.map((hit: Record<string, unknown>) => [hit.session, hit.kind, hit.note ?? null, hit.score]),
      query,
    );
  }
});
