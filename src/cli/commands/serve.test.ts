import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { holdfast } from "../../../test/support/command-line.ts";
import { EventReader } from "../../../test/support/event-reader.ts";
import { rejection } from "../../../test/support/memory.ts";
import { startServe } from "../../../test/support/serve-process.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import type { Reply } from "../../server/api.ts";
import { serve } from "./serve.ts";

async function get<T>({ url, token }: { url: string; token: string }, path: string): Promise<T> {
  const response = await fetch(new URL(path, url), { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200, path);
  return (await response.json()) as T;
}

async function addNote({ url, token }: { url: string; token: string }, content: string): Promise<Response> {
  return fetch(new URL("/api/sessions/audit/edits", url), {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ type: "note.add", content, tags: [] }),
  });
}

test("serve --demo opens the session of an agent at work, narrates it in the terminal, and stops on a signal [serve.demo] [serve.command] [serve.stop]", async (context) => {
  const server = await startServe(context, ["--demo"], temporaryDirectory());
  const [, store = ""] = /shows (\S+) \(temporary\)/.exec(server.output()) ?? [];
  assert.ok(existsSync(store), server.output());
  await server.printed(/reads Revenue/);
  const { sessions } = await get<Reply<"listSessions">>(server, "/api/sessions");
  assert.deepEqual(
    sessions.map(({ id, state }) => [id, state]),
    [["audit", "working"]],
  );
  assert.match(server.output(), /\?token=\S+#\/audit\/window/);
  const stream = await EventReader.open(server);
  await stream.until(({ event, data }) => event === "change" && data.sessionId === "audit");
  server.process.kill("SIGTERM");
  while (await stream.next());
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  assert.ok(!existsSync(store), "the temporary store is gone");
  assert.ok(!/error|stopped:/i.test(server.output()), server.output());
});

test("a killed server restarts with every acknowledged write; a second one can run next to it [serve.restart] [serve.port] [serve.kept-token]", async (context) => {
  const directory = temporaryDirectory();
  const options = ["--store", join(directory, "memory.db")];
  const first = await startServe(context, ["--demo", ...options], directory);
  await first.printed(/reads Revenue/);
  assert.equal((await addNote(first, "acknowledged")).status, 200);
  const stream = await EventReader.open(first);
  const hello = await stream.next();
  first.process.kill("SIGKILL");
  await first.ended;

  const second = await startServe(context, options, directory);
  const third = await startServe(context, options, directory);
  assert.notEqual(second.url, third.url, "without --port the next free port is used");
  assert.deepEqual([second.token, third.token], [first.token, first.token], "the token is the store's");
  const resumed = await EventReader.open(second, hello?.id);
  assert.equal((await resumed.next())?.event, "reset", "the page must reload");
  for (const server of [second, third]) {
    const { notes } = await get<Reply<"notes">>(server, "/api/sessions/audit/notes");
    assert.deepEqual(
      notes.map(({ content }) => content),
      ["acknowledged"],
    );
  }
  assert.equal((await addNote(third, "by the other server")).status, 200);
  await resumed.until(
    ({ event, data }) => event === "change" && data.entries.some(({ actor }) => actor.kind === "person"),
  );
  for (const server of [second, third]) {
    server.process.kill("SIGINT");
    assert.deepEqual(await server.ended, { code: 0, signal: null });
  }
});

test("invalid options are reported with the next step [serve.command] [serve.port] [serve.address]", async (context) => {
  const taken = createServer().listen(0, "127.0.0.1");
  context.after(() => taken.close());
  await new Promise((ready) => taken.once("listening", ready));
  const { port } = taken.address() as AddressInfo;
  const directory = temporaryDirectory();
  const db = ["--store", join(directory, "memory.db"), "--no-open"];
  const [long, short] = [join(directory, "long"), join(directory, "short")];
  writeFileSync(long, "long-enough-for-a-token");
  writeFileSync(short, "short");
  for (const [args, problem] of [
    [["--port", String(port)], new RegExp(`Port ${port} is taken\\. Choose another with --port`)],
    [["--host", "0.0.0.0"], /--token-file FILE or set HOLDFAST_TOKEN, with at least 16 characters/],
    [["--host", "203.0.113.7", "--token-file", long], /not an address of this machine/],
  ] as const) {
    const { code, stderr } = await holdfast("serve", ...db, ...args);
    assert.equal(code, 1, args.join(" "));
    assert.match(stderr, problem);
    assert.ok(!stderr.includes("    at "), stderr);
  }
  for (const [args, problem] of [
    [["--port", "70000"], /at most 65535/],
    [["--port", "x"], /whole number/],
    [["--host", "0.0.0.0", "--token-file", short], /at least 16/],
    [["extra"], /Unexpected argument "extra"/],
  ] as const) {
    const { message } = await rejection(serve([...db, ...args]), "invalid_input");
    assert.match(message, problem);
  }
});

test("the token can come from a file [serve.token-file]", async (context) => {
  const directory = temporaryDirectory();
  const file = join(directory, "token");
  writeFileSync(file, "a-token-from-a-file-0123456789\n", { mode: 0o600 });
  const server = await startServe(context, ["--port", "0", "--token-file", file], directory);
  assert.equal(server.token, "a-token-from-a-file-0123456789");
  const { message } = await rejection(serve(["--token-file", join(directory, "none")]), "invalid_input");
  assert.match(message, /none is not a readable file with a token/);
});
