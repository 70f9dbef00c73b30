import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { everything, openTestMemory, rejection } from "../../test/support/memory.ts";
import { seededRandom } from "../../test/support/random.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { day, type RetentionRules } from "../engine/retention.ts";
import type { Memory, Session } from "../index.ts";
import { openStore } from "../stores/open-store.ts";
import { hashPiece } from "./call-log.ts";

const begin = Date.UTC(2026, 0, 1);

/** A memory whose clock a test moves by days. */
async function openAged(store: string, retention: Partial<RetentionRules> = {}) {
  const time = { now: begin };
  const memory = await openTestMemory({
    store,
    retention,
    clock: () => time.now,
  });
  return { memory, time };
}

async function sweep(memory: Memory): Promise<void> {
  while (!(await memory.retention.step(1_000, { waits: false })));
}

function stores(): [name: string, store: string][] {
  return [
    ["memory", "memory:"],
    ["SQLite", join(temporaryDirectory(), "memory.db")],
  ];
}

const revisionsOf = async (session: Session) =>
  (await session.history({ newestFirst: false })).map(({ revision }) => revision);

for (const [name, store] of stores()) {
  test(`${name}: old history goes, memory stays, and undo, at, diff and log say where history ends [retention.history] [retention.ends]`, async () => {
    const { memory, time } = await openAged(store, { historyDays: 30 });
    const session = await memory.createSession({ id: "long" });
    for (let count = 1; count <= 5; count++)
      await session.notes.add(`old ${count}`, [], { key: `old-${count}` });
    time.now += 40 * day;
    for (let count = 1; count <= 2; count++)
      await session.notes.add(`new ${count}`, [], { key: `new-${count}` });
    const before = await everything(session);
    const at6 = await session.at(6);
    await sweep(memory);
    assert.deepEqual(await everything(session), before);
    assert.deepEqual(await revisionsOf(session), [7, 8]);
    assert.deepEqual(await session.at(6), at6, "the oldest revision that can still be told");
    assert.deepEqual(await session.historyStart(), { revision: 7, at: time.now });
    const { message } = await rejection(session.at(5), "history_removed");
    assert.equal(
      message,
      `Revision 5 cannot be read any more. The history of session long begins at revision 7 (2026-02-10): retention removed what is older. "holdfast doctor" shows the rules.`,
    );
    await rejection(session.diff(2, 8), "history_removed");
    assert.match((await rejection(session.undo(3), "cannot_undo")).message, /begins at revision 7/);
    const repeated = await session.notes.add("new 1", [], { key: "new-1" });
    assert.ok(repeated.repeated, "a key inside the window still answers");
    await session.undo();
    await session.undo();
    assert.match(
      (await rejection(session.undo(), "cannot_undo")).message,
      /nothing left to undo\. The history/,
    );
    await memory.close();
  });

  test(`${name}: more operations than kept go, but never those of the last day [retention.history]`, async () => {
    const { memory, time } = await openAged(store, { historyOperations: 3 });
    const session = await memory.openSession("many");
    for (let count = 1; count <= 8; count++) await session.notes.add(`note ${count}`, []);
    await sweep(memory);
    assert.equal((await revisionsOf(session)).length, 9);
    time.now += 2 * day;
    await sweep(memory);
    assert.deepEqual(await revisionsOf(session), [7, 8, 9]);
    await memory.close();
  });

  test(`${name}: a fork keeps its memory when its parent's history goes, and has no gap when its own goes [retention.forks]`, async () => {
    const { memory, time } = await openAged(store, { historyDays: 30 });
    const parent = await memory.openSession("parent");
    await parent.notes.add("shared", []);
    await parent.notepad.write("then");
    const child = await memory.forkSession("parent", { id: "child" });
    await parent.notepad.write("later");
    await child.notes.add("own 1", []);
    time.now += 20 * day;
    await child.notes.add("own 2", []);
    const before = await everything(child);
    assert.deepEqual(await revisionsOf(child), [1, 2, 3, 4, 5, 6, 7]);
    time.now += 20 * day;
    await child.notes.add("own 3", []);
    const now = await everything(child);
    await sweep(memory);
    assert.deepEqual(await everything(child), now);
    assert.notDeepEqual(now, before);
    assert.deepEqual(await revisionsOf(child), [7, 8]);
    await rejection(child.at(3), "history_removed");
    assert.equal((await child.at(6)).notepad, "then");
    assert.equal(await (await memory.resumeSession("parent")).notepad.read(), "later");
    await memory.close();
  });
}

test("a fork whose own history was shortened does not show its parent's [retention.forks]", async () => {
  const { memory, time } = await openAged("memory:", { historyOperations: 2, historyDays: 0 });
  const parent = await memory.openSession("parent");
  await parent.notepad.write("then");
  const child = await memory.forkSession("parent", { id: "child" });
  for (let count = 1; count <= 6; count++) await child.notes.add(`own ${count}`, []);
  time.now += 2 * day;
  await sweep(memory);
  assert.equal((await revisionsOf(parent)).length, 2);
  const [first, ...rest] = await revisionsOf(child);
  assert.ok(first && first > 4, "without a gap");
  assert.deepEqual(rest, [first + 1]);
  await rejection(child.at(2), "history_removed");
  await memory.close();
});

test("deleted and archived sessions go by age; active ones and those that a fork reads stay [retention.sessions]", async () => {
  const { memory, time } = await openAged("memory:", { deletedDays: 10, archivedDays: 100 });
  for (const id of ["active", "archived", "deleted", "forked"]) await memory.createSession({ id });
  await memory.forkSession("forked", { id: "fork" });
  await memory.archiveSession("archived");
  await memory.deleteSession("deleted");
  await memory.deleteSession("forked");
  const ids = async () =>
    [...(await memory.listSessions({ status: "all" })), ...(await memory.listSessions({ status: "deleted" }))]
      .map(({ id }) => id)
      .sort();
  time.now += 9 * day;
  await sweep(memory);
  assert.deepEqual(await ids(), ["active", "archived", "deleted", "fork", "forked"]);
  time.now += 2 * day;
  await sweep(memory);
  assert.deepEqual(await ids(), ["active", "archived", "fork", "forked"]);
  time.now += 100 * day;
  await sweep(memory);
  assert.deepEqual(await ids(), ["active", "fork", "forked"]);
  await memory.close();
});

test("model calls are trimmed; the first request after a compaction stays whole, its summary call without text [retention.ledger]", async () => {
  const { memory, time } = await openAged("memory:", { ledgerCalls: 2, ledgerDays: 0 });
  const session = await memory.openSession("calls");
  const record = async (texts: string[], facts: { purpose: string; epoch: number }) => {
    const pieces = await Promise.all(
      texts.map(async (text) => {
        const piece = { part: "history", role: "user", tokens: 1, text };
        return { ...piece, hash: await hashPiece(piece) };
      }),
    );
    return session.calls.record(pieces, facts, time.now);
  };
  await record(["system", "a"], { purpose: "turn", epoch: 1 });
  await record(["system", "a", "b"], { purpose: "turn", epoch: 1 });
  await record(["summarise", "a", "b"], { purpose: "summary", epoch: 1 });
  await record(["system", "summary"], { purpose: "turn", epoch: 2 });
  for (const text of ["c", "d", "e", "f"])
    await record(["system", "summary", text], { purpose: "turn", epoch: 2 });
  time.now += 2 * day;
  await sweep(memory);
  const left = (await session.calls.list({ newestFirst: false })).map(({ number }) => number);
  assert.deepEqual(left, [3, 4, 7, 8]);
  const texts = async (number: number) => (await session.calls.read(number))?.pieces.map(({ text }) => text);
  assert.deepEqual(await texts(3), []);
  assert.deepEqual(await texts(4), ["system", "summary"]);
  assert.deepEqual(await texts(8), ["system", "summary", "f"]);
  await record(["system", "summary", "c"], { purpose: "turn", epoch: 2 });
  assert.deepEqual(await texts(9), ["system", "summary", "c"], "a piece that went comes back with the call");
  await sweep(memory);
  assert.deepEqual(await texts(4), ["system", "summary"], "a second sweep removes no proof");
  await memory.close();
});

test("nothing goes with retention: false, and a sweep runs once a day [retention.off]", async () => {
  const time = { now: begin };
  const memory = await openTestMemory({ retention: false, clock: () => time.now });
  const session = await memory.openSession("a");
  await session.notepad.write("x");
  time.now += 10_000 * day;
  await sweep(memory);
  assert.deepEqual(await revisionsOf(session), [1, 2]);
  await memory.close();
  const daily = await openAged("memory:", { historyDays: 1 });
  const other = await daily.memory.openSession("b");
  await daily.memory.retention.step();
  await other.notepad.write("x");
  daily.time.now += day / 2;
  assert.ok(await daily.memory.retention.step());
  daily.time.now += 3 * day;
  await other.notepad.write("y");
  assert.ok(await daily.memory.retention.step(1_000));
  assert.deepEqual(await revisionsOf(other), [3]);
  await daily.memory.close();
  await assert.rejects(
    openTestMemory({ retention: { historyDay: 1 } as never }),
    /"retention\.historyDay"\. Did you mean "historyDays"\?/,
  );
});

test("SQLite: a process killed in mid-trim loses nothing, and the next one goes on [retention.crash]", async (context) => {
  const random = seededRandom(20_261_117);
  const store = join(temporaryDirectory(), "memory.db");
  const { memory, time } = await openAged(store);
  const sessions = await Promise.all(["a", "b"].map((id) => memory.openSession(id)));
  for (const session of sessions)
    for (let count = 0; count < 60; count++)
      await session.notes.add(`${session.id} ${count} ${"x".repeat(300)}`, []);
  time.now += 200 * day;
  for (const session of sessions) await session.notepad.write("newest");
  const before = await Promise.all(sessions.map(everything));
  await memory.close();
  let kills = 0;
  for (let round = 0; round < 3; round++) {
    const worker = fork(join(import.meta.dirname, "test-support/sweep.ts"), [store, String(time.now)]);
    await once(worker, "message");
    const ended = once(worker, "exit");
    const timer = setTimeout(() => worker.kill("SIGKILL"), random(40));
    const [, signal] = await ended;
    clearTimeout(timer);
    if (signal === "SIGKILL") kills++;
    const check = await openTestMemory({
      store: await openStore(store),
      clock: () => time.now,
      retention: false,
    });
    for (const [index, { id }] of sessions.entries()) {
      const session = await check.resumeSession(id);
      assert.deepEqual(await everything(session), before[index]);
      const revisions = await revisionsOf(session);
      assert.deepEqual(
        revisions,
        Array.from(revisions, (_, place) => 62 - revisions.length + 1 + place),
      );
      assert.ok(revisions.length >= 1);
    }
    await check.close();
  }
  context.diagnostic(`${kills} kills`);
  const last = await openTestMemory({ store, clock: () => time.now });
  await sweep(last);
  for (const { id } of sessions) assert.deepEqual(await revisionsOf(await last.resumeSession(id)), [62]);
  await last.close();
});
