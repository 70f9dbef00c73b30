import assert from "node:assert/strict";
import { once } from "node:events";
import { createConnection } from "node:net";
import { test } from "node:test";
import { EventReader } from "../../test/support/event-reader.ts";
import { startWriter } from "../../test/support/processes.ts";
import { call, startTestServer } from "../../test/support/server.ts";
import { openMemory } from "../index.ts";

const isChangeTo =
  (revision: number) =>
  ({ event, data }: { event: string; data: { revision: number } }) =>
    event === "change" && data.revision === revision;

test("the stream reports another process's writes, with their author [serve.events]", async (context) => {
  const { server, path } = await startTestServer(context);
  const reader = await EventReader.open(server);
  assert.equal((await reader.next())?.event, "hello");
  const writer = startWriter({ store: path, session: "other", name: "w", operations: 3, acknowledge: true });
  writer.say("go");
  const events = await reader.until(isChangeTo(4));
  const entries = events.flatMap(({ data }) => data.entries);
  assert.deepEqual(
    entries.map(({ revision }) => revision),
    [1, 2, 3, 4],
  );
  assert.ok(entries.slice(1).every(({ actor }) => actor.kind === "agent"));
  const last = events.at(-1)?.data;
  assert.deepEqual([last?.sessionId, last?.item?.id, last?.item?.revision], ["other", "other", 4]);
  reader.close();
  await writer.ended;
  const { sessions } = await call(server, "listSessions");
  assert.deepEqual(
    sessions.map(({ id, revision }) => [id, revision]),
    [["other", 4]],
  );
});

test("an event has the changes of texts, so that a page does not have to ask [serve.events]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  await session.notepad.write("- one\n- two");
  const reader = await EventReader.open(server);
  await reader.next();
  const agent = { actor: { kind: "agent" as const } };
  let text = "- one\n- two";
  await session.notepad.replace("two", "zwei", agent);
  const [change] = (await reader.until(isChangeTo(3))).slice(-1);
  for (const { name, at, removed, inserted } of change?.data.texts ?? []) {
    assert.equal(name, "notepad");
    assert.equal(text.slice(at, at + removed.length), removed);
    text = `${text.slice(0, at)}${inserted}${text.slice(at + removed.length)}`;
  }
  assert.equal(text, await session.notepad.read());
  await session.notes.add("not a text", [], agent);
  const [other] = (await reader.until(isChangeTo(4))).slice(-1);
  assert.equal(other?.data.texts, null);
  reader.close();
});

test("a reconnected stream continues with the next event: none lost, none twice [serve.resume]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  const first = await EventReader.open(server);
  await session.notepad.append("one");
  const seen = await first.until(isChangeTo(2));
  first.close();
  for (const text of ["two", "three", "four"]) await session.notepad.append(text);
  const second = await EventReader.open(server, seen.at(-1)?.id);
  assert.equal((await second.next())?.event, "hello");
  await session.notepad.append("five");
  const later = await second.until(isChangeTo(6));
  const revisions = [...seen, ...later].flatMap(({ data }) =>
    (data.entries ?? []).map(({ revision }) => revision),
  );
  assert.deepEqual(
    revisions.filter((revision) => revision > 1),
    [2, 3, 4, 5, 6],
  );
  second.close();
});

test("a client that saw only the hello event loses nothing either [serve.resume]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  const first = await EventReader.open(server);
  const hello = await first.next();
  first.close();
  await session.notepad.append("one");
  const second = await EventReader.open(server, hello?.id);
  await second.until(isChangeTo(2));
  second.close();
});

test("an event id that is foreign, too old or invalid gets a reset [serve.resume]", async (context) => {
  const { server, memory } = await startTestServer(context, { eventsKept: 3 });
  const session = await memory.createSession({ id: "a" });
  const reader = await EventReader.open(server);
  const start = await reader.next();
  for (let revision = 2; revision <= 7; revision++) {
    await session.notepad.append("x");
    await reader.until(isChangeTo(revision));
  }
  reader.close();
  for (const id of [
    start?.id,
    "0badc0ffee00-1",
    "nonsense",
    `${start?.data.launch}-999999`,
    "x".repeat(1_000),
  ]) {
    const again = await EventReader.open(server, id);
    const event = await again.next();
    assert.equal(event?.event, "reset", id);
    const resumed = await EventReader.open(server, event?.id);
    assert.equal((await resumed.next())?.event, "hello", "a client can resume from a reset");
    again.close();
    resumed.close();
  }
});

test("nothing queues up for a client that does not read; it gets a reset [serve.slow]", async (context) => {
  const memory = await openMemory({ store: "memory:" });
  const { server } = await startTestServer(context, { memory, eventsKept: 10 });
  const session = await memory.createSession({ id: "a" });
  const socket = createConnection(server.port, "127.0.0.1");
  await once(socket, "connect");
  socket.pause();
  socket.write(
    `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`,
  );
  const reader = await EventReader.open(server);
  await reader.next();
  // More than the kernel's buffers hold.
  const writes = 300;
  const surface = "x".repeat(100_000);
  for (let number = 0; number < writes; number++) {
    await session.notepad.write(`${number}`, { surface });
    await reader.until(isChangeTo(number + 2));
  }
  let received = "";
  socket.setEncoding("utf8").on("data", (text: string) => (received += text));
  socket.resume();
  while (!received.includes("event: reset")) await once(socket, "data");
  const events = received.split("event: change").length - 1;
  assert.ok(events < writes, `${events} events were queued for a client that does not read`);
  socket.destroy();
  reader.close();
});

test("a client that disconnects frees its stream [serve.slow]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  const readers = [];
  for (let number = 0; number < 50; number++) readers.push(await EventReader.open(server));
  assert.equal((await call(server, "health")).streams, 50);
  const refusal = await fetch(new URL("/api/events", server.url), {
    headers: { Authorization: `Bearer ${server.token}` },
  });
  assert.equal(refusal.status, 503);
  await refusal.body?.cancel();
  for (const reader of readers) reader.close();
  while ((await call(server, "health")).streams > 0) await session.notepad.append("x");
  const again = await EventReader.open(server);
  assert.equal((await again.next())?.event, "hello");
  again.close();
});

test("a HEAD request opens no stream [serve.slow]", async (context) => {
  const { server } = await startTestServer(context);
  for (let number = 0; number < 60; number++) {
    const headers = { Authorization: `Bearer ${server.token}` };
    const { status } = await fetch(new URL("/api/events", server.url), { method: "HEAD", headers });
    assert.equal(status, 200);
  }
  assert.equal((await call(server, "health")).streams, 0);
});

test("stopping ends the open streams and frees the port [serve.stop]", async (context) => {
  const { server } = await startTestServer(context);
  const readers = await Promise.all([EventReader.open(server), EventReader.open(server)]);
  for (const reader of readers) assert.equal((await reader.next())?.event, "hello");
  await server.stop();
  for (const reader of readers) assert.equal(await reader.next(), undefined);
  await assert.rejects(fetch(server.url));
  const { server: next } = await startTestServer(context, { port: server.port });
  assert.equal(next.port, server.port);
});
