import assert from "node:assert/strict";
import { test } from "node:test";
import { call, refused, startTestServer } from "../../test/support/server.ts";

test("a person pins and unpins over HTTP; the journal says who did [pins.people]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  const params = { id: "a" };
  const { pin } = await call(server, "pin", { params, body: { text: "Never push." } });
  await call(server, "pin", { params, body: { text: "Use tabs." } });
  const { pins } = await call(server, "pins", { params });
  assert.deepEqual(pins, [
    { id: pin, text: "Never push.", by: "person" },
    { id: "p2", text: "Use tabs.", by: "person" },
  ]);
  await call(server, "unpin", { params: { id: "a", pin } });
  assert.deepEqual(
    (await session.pins.list()).map(({ id }) => id),
    ["p2"],
  );
  await refused(server, "unpin", { params: { id: "a", pin } }, 404);
  const { entries } = await call(server, "journal", { params, query: { limit: 10 } });
  assert.deepEqual(
    entries.slice(0, 3).map(({ summary }) => summary),
    ["Unpinned p1", "Pinned: Use tabs.", "Pinned: Never push."],
  );
});
