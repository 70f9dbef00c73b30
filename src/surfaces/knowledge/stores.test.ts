import assert from "node:assert/strict";
import { test } from "node:test";
import { everyStore } from "../../../test/support/every-store.ts";
import { answer } from "../../../test/support/memory.ts";
import { openMemory, type Session } from "../../index.ts";

const surfaces = ["notepad", "knowledge"] as const;
const keys = ["a", "a%", "a_", "aＡ", "a️", "a😀", "b", "constructor", "__proto__", "é"];
const value = JSON.parse('{"__proto__":{"x":1},"list":[null,0,"",false,1e21,"\\u2028"]}');

test("an agent's knowledge is private to it and works the same in every store [knowledge.state]", async (t) => {
  for (const { name, store } of await everyStore())
    await t.test(name, async () => {
      const memory = await openMemory({ store, surfaces, owner: "ours" });
      const [session, other] = [await memory.createSession(), await memory.createSession()];
      for (const key of keys) await answer(session, "set_state", { key, value });
      const list = async (from: Session, prefix = "") =>
        (await answer(from, "list_state", { prefix })).keys.map(({ key }: { key: string }) => key);
      assert.deepEqual((await list(other)).toSorted(), keys.toSorted());
      assert.deepEqual((await list(other, "a")).toSorted(), keys.slice(0, 6).toSorted());
      assert.deepEqual([await list(other, "a%"), await list(other, "a_")], [["a%"], ["a_"]]);
      assert.deepEqual((await answer(other, "get_state", { key: "__proto__" })).value, value);

      await answer(session, "edit_system_prompt", { operation: "append", content: "Ours." });
      await (await session.knowledge()).systemPrompt.lock("Ours.");
      await answer(session, "save_skill", { name: "ours", description: "Only ours", content: "x" });
      assert.match((await other.context()).system, /Ours\.\n\n## Skills\n- ours: Only ours/);
      const stranger = await memory.createSession({ agent: "stranger" });
      assert.doesNotMatch((await stranger.context()).system, /ours/i);
      assert.deepEqual(await list(stranger), []);
      const ids = (await memory.listSessions()).map(({ id }) => id);
      assert.deepEqual(ids.toSorted(), [session.id, other.id, stranger.id].toSorted());
      await memory.close();
      if (name === "memory") return;

      const theirs = await openMemory({ store, surfaces, owner: "theirs" });
      const foreign = await theirs.createSession();
      assert.doesNotMatch((await foreign.context()).system, /ours/i);
      assert.deepEqual(await list(foreign), []);
      await theirs.close();
      const again = await openMemory({ store, surfaces, owner: "ours" });
      const { systemPrompt } = await again.knowledge();
      assert.deepEqual([await systemPrompt.read(), await systemPrompt.locks()], ["Ours.", ["Ours."]]);
      await again.close();
    });
});

test("concurrent compare-and-set increments from several memories lose nothing, in every store [knowledge.state-compare]", async (t) => {
  for (const { name, store } of await everyStore())
    await t.test(name, async () => {
      const first = await openMemory({ store, surfaces });
      const second = name === "memory" ? first : await openMemory({ store, surfaces });
      const increment = async (session: Session) => {
        for (;;) {
          const { state } = await session.knowledge();
          const { value: count = 0, version = 0 } = (await state.get("count")) ?? {};
          const input = { key: "count", value: Number(count) + 1, expected_version: version };
          const set = await session.call("set_state", input);
          if (set.ok) return;
          assert.equal(set.code, "conflict", set.text);
        }
      };
      const sessions = [await first.createSession(), await second.createSession()];
      await Promise.all(
        sessions.map(async (session) => {
          for (let times = 0; times < 10; times++) await increment(session);
        }),
      );
      assert.equal((await (await first.knowledge()).state.get("count"))?.value, 20);
      await first.close();
      if (second !== first) await second.close();
    });
});
