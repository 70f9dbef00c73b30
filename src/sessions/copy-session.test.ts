import assert from "node:assert/strict";
import { test } from "node:test";
import { everyStore } from "../../test/support/every-store.ts";
import { openTestMemory, rejection } from "../../test/support/memory.ts";
import { openStore } from "../stores/open-store.ts";
import { copiesOf, parseCopy, type SessionCopy, writeCopies } from "./copy-session.ts";

async function* first(copies: AsyncIterable<SessionCopy>, count: number): AsyncGenerator<SessionCopy> {
  let taken = 0;
  for await (const copy of copies) {
    if (taken++ === count) return;
    yield copy;
  }
}

test("a store moves to every other kind of store with its history, in several goes, and again without effect [stores.copy]", async () => {
  const sources = (await everyStore()).filter(({ name }) => name !== "memory");
  const targets = (await everyStore()).filter(({ name }) => name !== "memory");
  for (const [index, { store: from }] of sources.entries()) {
    const { store: to } = targets[(index + 1) % targets.length] as (typeof targets)[number];
    const memory = await openTestMemory({ store: from });
    const session = await memory.createSession({ id: "a", title: "Prüfung 🦞" });
    await session.notes.add("kept", ["x"], { key: "k" });
    await session.notepad.append("- one");
    await session.notepad.append("- two");
    await memory.forkSession("a", { id: "fork" });
    await session.notes.add("after the fork", []);
    const [note] = (await session.notes.all()).filter(({ content }) => content === "kept");
    await session.notes.update(note?.id ?? "", { content: "changed in the parent" });
    await session.undo();
    const said = { part: "system", role: "system", tokens: 1 };
    for (const text of ["one", "two"])
      await session.calls.record([{ ...said, hash: `hash of ${text}`, text }], { model: "m" }, 1_000);
    await memory.createSession({ id: "gone" });
    await memory.deleteSession("gone");
    await (await memory.knowledge()).state.set("region", "eu");
    await memory.close();

    const [source, target] = [await openStore(from), await openStore(to)];
    assert.equal((await writeCopies(target, first(copiesOf(source, "local"), 2))).copied, 2);
    assert.deepEqual(await writeCopies(target, copiesOf(source, "local")), {
      copied: 2,
      present: 2,
      different: 0,
    });
    assert.deepEqual(await writeCopies(target, copiesOf(source, "local")), {
      copied: 0,
      present: 4,
      different: 0,
    });
    const { value: copy } = await copiesOf(source, "local").next();
    await Promise.all([source.close(), target.close()]);

    const moved = await openTestMemory({ store: to });
    const again = await moved.resumeSession("a");
    assert.equal(await again.notepad.read(), "- one\n- two");
    assert.equal((await again.notes.add("kept", ["x"], { key: "k" })).repeated, true);
    assert.deepEqual((await again.at(3)).notepad, "- one");
    await again.undo();
    const call = await again.calls.read(2);
    assert.deepEqual([call?.facts, call?.pieces.map(({ text }) => text)], [{ model: "m" }, ["two"]]);
    const fork = await moved.resumeSession("fork");
    assert.equal((await fork.state()).row.lineage[0]?.sessionId, "a", "still a fork");
    await rejection(moved.purgeSession("a"), "conflict");
    assert.deepEqual(
      (await fork.notes.all()).map(({ content }) => content),
      ["kept"],
    );
    assert.deepEqual(
      (await moved.listSessions({ status: "deleted" })).map(({ id }) => id),
      ["gone"],
    );
    assert.equal((await (await moved.knowledge()).state.get("region"))?.value, "eu");
    await moved.close();
    // The target has gone on meanwhile, so its session is not overwritten.
    const [later, fresh] = [await openStore(from), await openStore(to)];
    assert.equal((await writeCopies(fresh, copiesOf(later, "local"))).different, 1);
    await Promise.all([later.close(), fresh.close()]);
    const cut = JSON.parse(JSON.stringify(copy)) as SessionCopy;
    cut.row.title = "changed on the way";
    await rejection(parseCopy(cut), "store_damaged");
  }
});
