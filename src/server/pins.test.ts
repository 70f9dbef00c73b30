import assert from "node:assert/strict";
import { test } from "node:test";
import { call, refused, startTestServer } from "../../test/support/server.ts";

test("a person pins, confirms and unpins over HTTP; the journal says who did [pins.people]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  const params = { id: "a" };
  const { pin } = await call(server, "pin", { params, body: { text: "Never push." } });
  await session.apply(
    { type: "pins.find", texts: ["Use tabs."], replaced: [] },
    { actor: { kind: "system" } },
  );
  await call(server, "confirmPin", { params: { id: "a", pin: "p2" } });
  const { pins } = await call(server, "pins", { params });
  assert.deepEqual(pins, [
    { id: pin, text: "Never push.", status: "pinned", by: "person" },
    { id: "p2", text: "Use tabs.", status: "pinned", by: "person" },
  ]);
  await call(server, "unpin", { params: { id: "a", pin } });
  assert.deepEqual(
    (await session.pins.list()).map(({ id }) => id),
    ["p2"],
  );
  await refused(server, "unpin", { params: { id: "a", pin } }, 404);
  const { entries } = await call(server, "journal", { params, query: { limit: 10 } });
  assert.deepEqual(
    entries.slice(0, 4).map(({ summary }) => summary),
    ["Unpinned p1", "Confirmed the pin p2", "Found rules of the user: Use tabs.", "Pinned: Never push."],
  );
});
