import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { type Memory, openMemory, type Session } from "../src/index.ts";
import { maskOccurrences } from "../src/secrets/redact.ts";
import { makeCorpus } from "../src/secrets/test-support/corpus.ts";
import { findProject } from "../src/workspace/project.ts";
import { openStage } from "./support/agent.ts";
import { holdfast, runNode } from "./support/command-line.ts";
import { rejection } from "./support/memory.ts";
import { askPostgres, startPostgres } from "./support/postgres.ts";
import { temporaryDirectory } from "./support/temporary.ts";

const secret = makeCorpus(7).secrets[0]?.[1] ?? "";
const marker = /\[REDACTED aws-access-key #[0-9a-f]{6}\]/;
const quiet = { onWarning: () => {} };

/** Writes the secret into everything that a session stores. */
async function fill(memory: Memory, session: Session): Promise<void> {
  await session.notepad.write(`first line\nkey ${secret}\n`);
  await session.notepad.append(`again ${secret}`);
  for (let note = 0; note < 5; note++) await session.notes.add(`note ${note} ${secret}`, [`t-${secret}`]);
  await session.scratchpad.setPlan(`use ${secret}`);
  await session.apply({ type: "messages.add", messages: [{ role: "user", content: `here: ${secret}` }] });
  await session.calls.record([{ hash: "h", part: "history", role: "user", tokens: 1, text: secret }], {}, 0);
  const knowledge = await memory.knowledge();
  await knowledge.state.set("deploy", { token: secret });
}

async function textOf(session: Session): Promise<string> {
  const { row } = await session.state();
  const calls = await session.calls.read(1);
  return JSON.stringify([
    row,
    await session.notes.all(),
    await session.messages(),
    await session.history(),
    calls?.pieces,
    await (await session.knowledge()).state.get("deploy"),
  ]);
}

test("nothing that is stored contains a secret, and the answer reports it [secrets.stored]", async () => {
  const warnings: string[] = [];
  const memory = await openMemory({ store: "memory:", onWarning: (warning) => warnings.push(warning) });
  const titled = await memory.createSession({ id: "titled", title: `with ${secret}` });
  assert.match((await titled.state()).row.title ?? "", /^with \[REDACTED/);
  const session = await memory.openSession("a");
  const answer = await session.call("add_note", { content: `the key is ${secret}` });
  assert.ok(answer.ok);
  assert.match(answer.text, marker);
  assert.match(
    answer.notice ?? "",
    /^Stored without a secret \(aws-access-key\): .* Refer to a secret by where it is kept/,
  );
  assert.match(warnings.join(), marker);
  await fill(memory, session);
  const stored = await textOf(session);
  assert.ok(!stored.includes(secret));
  assert.match(stored, marker);
  const { warnings: told } = await session.apply({ type: "notepad.append", content: secret });
  assert.match(told.join(), marker);
  // The same secret has the same marker, so an edit that names it still finds its place.
  const edited = await session.call("update_notepad", {
    operation: "find_replace",
    find: `key ${secret}`,
    replace: "x",
  });
  assert.ok(edited.ok, edited.text);
});

test("refuse rejects the write, allow stores it, and anything else is an error [secrets.stored]", async () => {
  const refusing = await (await openMemory({ store: "memory:", secrets: "refuse", ...quiet })).openSession(
    "a",
  );
  const refused = await refusing.call("write_notepad", { content: secret });
  assert.ok(!refused.ok);
  assert.equal(refused.code, "secret_refused");
  assert.match(refused.text, /Nothing was changed.*environment variable/);
  await rejection(refusing.notepad.write(secret), "secret_refused");
  assert.equal((await refusing.state()).row.notepad, null);
  const allowing = await (await openMemory({ store: "memory:", secrets: "allow" })).openSession("a");
  await allowing.call("write_notepad", { content: secret });
  assert.equal((await allowing.state()).row.notepad, secret);
  await rejection(openMemory({ store: "memory:", secrets: "hide" as "redact" }), "invalid_input");
});

test("under refuse a secret in what the user or the model says is redacted, and the turn goes on [secrets.record]", async (t) => {
  const memory = await openMemory({ store: "memory:", secrets: "refuse", ...quiet });
  const { say, session } = await openStage(t, {
    memory,
    script: () => ({ text: `The key is ${secret}; I stop here.` }),
  });
  const { text } = await say(`Use ${secret} please.`);
  assert.match(text, /I stop here/);
  const stored = JSON.stringify([await (await session()).history(), await (await session()).messages()]);
  assert.ok(!stored.includes(secret));
  assert.match(stored, /Use \[REDACTED/);
  assert.match(stored, /The key is \[REDACTED/);
  await memory.createSession({ id: "titled", title: `with ${secret}` });
});

test("an import is stored without its secrets, and its history still fits [secrets.stored]", async () => {
  const source = await openMemory({ store: "memory:", secrets: "allow" });
  await fill(source, await source.openSession("a"));
  const document = await source.exportSession("a");
  assert.ok(JSON.stringify(document).includes(secret));
  const memory = await openMemory({ store: "memory:", ...quiet });
  const session = await memory.importSession(document);
  assert.ok(!(await textOf(session)).includes(secret));
  const { revision } = (await session.state()).row;
  assert.equal((await session.at(revision)).notepad, (await session.state()).row.notepad);
});

test("secrets of an older store are not shown and not exported [secrets.shown]", async () => {
  const store = join(temporaryDirectory(), "memory.db");
  const old = await openMemory({ store, secrets: "allow" });
  await fill(old, await old.openSession("a"));
  await old.close();
  const memory = await openMemory({ store, ...quiet });
  const session = await memory.resumeSession("a");
  assert.ok((await session.state()).row.notepad?.includes(secret));
  const { system } = await session.context();
  assert.ok(!system.includes(secret));
  assert.match(system, marker);
  const read = await session.call("read_notepad", {});
  assert.ok(!read.text.includes(secret));
  assert.ok(!JSON.stringify(await memory.exportSession("a")).includes(secret));
  await memory.close();
});

/** The files below a directory that contain the secret in any case. */
function filesWith(directory: string): string[] {
  const wanted = secret.toLowerCase();
  return globSync("**/*", { cwd: directory }).filter((name) => {
    const path = join(directory, name);
    return statSync(path).isFile() && readFileSync(path, "latin1").toLowerCase().includes(wanted);
  });
}

for (const kind of ["sqlite", "memory"] as const) {
  test(`redact leaves nothing in the files of a ${kind} store, and history still reads [secrets.erase]`, async () => {
    const directory = temporaryDirectory();
    const store = { sqlite: join(directory, "memory.db"), memory: "memory:" }[kind];
    const memory = await openMemory({ store, secrets: "allow" });
    const session = await memory.openSession("a");
    await fill(memory, session);
    const fork = await memory.forkSession("a", { id: "b" });
    await session.notes.add(`after the fork ${secret}`);
    if (kind !== "memory") assert.notDeepEqual(filesWith(directory), []);
    const { sessions, remaining } = await memory.rewrite(maskOccurrences(secret));
    assert.deepEqual(remaining, []);
    assert.equal(sessions.length, 3, "both sessions and the knowledge");
    assert.deepEqual(filesWith(directory), []);
    for (const each of [await memory.resumeSession("a"), await memory.resumeSession("b")]) {
      assert.ok(!(await textOf(each)).toLowerCase().includes(secret.toLowerCase()));
      const { row } = await each.state();
      assert.match(row.notepad ?? "", /^first line\nkey \[REDACTED/);
      assert.equal((await each.at(row.revision - 1)).notepad, row.notepad);
      await each.notepad.append("goes on");
    }
    // A handle from before sees the new state, and does not write the old one back.
    await fork.notepad.append("and on");
    assert.deepEqual(filesWith(directory), []);
    await memory.close();
    assert.deepEqual(filesWith(directory), []);
  });
}

test("a redaction reaches the watchers of other processes, and leaves every row sealed [secrets.erase]", async (context) => {
  // Polling alone does not keep a process alive.
  const alive = setInterval(() => {}, 1_000);
  context.after(() => clearInterval(alive));
  const store = join(temporaryDirectory(), "memory.db");
  const memory = await openMemory({ store, secrets: "allow" });
  await fill(memory, await memory.openSession("a"));
  const other = await openMemory({ store, secrets: "allow" });
  const watched = await other.resumeSession("a");
  const { promise: noticed, resolve } = Promise.withResolvers<string>();
  const stop = await watched.watch(({ operation }) => {
    if (operation.type === "session.redact") resolve(operation.type);
  });
  await memory.rewrite(maskOccurrences(secret));
  assert.equal(await noticed, "session.redact");
  stop();
  assert.ok(!(await textOf(watched)).includes(secret));
  await Promise.all([memory.close(), other.close()]);
});

test("redact rewrites the tables of a Postgres store and reports the rest [secrets.erase]", async () => {
  const server = await startPostgres();
  after(() => server.stop());
  const store = await server.database();
  const memory = await openMemory({ store, secrets: "allow" });
  await fill(memory, await memory.openSession("a"));
  const { sessions, remaining } = await memory.rewrite(maskOccurrences(secret));
  assert.equal(sessions.length, 2);
  assert.match(remaining.join(), /write-ahead log/);
  assert.ok(!(await textOf(await memory.resumeSession("a"))).includes(secret));
  await memory.close();
  await askPostgres(store, "CHECKPOINT");
  const { databaseDir } = (server.server as unknown as { options: { databaseDir: string } }).options;
  assert.deepEqual(filesWith(join(databaseDir, "base")), []);
});

test("an erasure that a reader blocks reports it and is finished later [secrets.erase]", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "memory.db");
  const memory = await openMemory({ store: path, secrets: "allow" });
  await fill(memory, await memory.openSession("a"));
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM agent_sessions").get();
  const { remaining } = await memory.rewrite(maskOccurrences(secret));
  assert.match(remaining.join(), /memory\.db-wal could not be cleared, because another process reads/);
  assert.notDeepEqual(filesWith(directory), []);
  reader.exec("COMMIT");
  reader.close();
  await memory.close();
  assert.deepEqual(filesWith(directory), []);
  assert.ok(!existsSync(`${path}-erase`));
});

test("holdfast forget names a document that contains it too [secrets.erase]", async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  const directory = findProject(root).directory;
  const memory = await openMemory({ store: join(directory, "memory.db"), secrets: "allow" });
  await (await memory.openSession("a")).notepad.write(`key ${secret}`);
  await memory.close();
  mkdirSync(join(root, "grimoires/loa"), { recursive: true });
  writeFileSync(join(root, "grimoires/loa/NOTES.md"), `# Notes\n${secret}\n`);
  const { stdout, stderr } = await runNode(
    [join(import.meta.dirname, "../src/cli.ts"), "forget", secret, "--yes"],
    process.execPath,
    { cwd: root },
  );
  assert.match(stdout, /^Removed it from /m, stderr);
  assert.match(stdout, /Not reached: \S+NOTES\.md is a document of the project/);
  const left = globSync("**/*", { cwd: directory }).filter(
    (name) =>
      statSync(join(directory, name)).isFile() && readFileSync(join(directory, name)).includes(secret),
  );
  assert.deepEqual(left, []);
});

test("holdfast forget reaches backups next to the store [secrets.erase]", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "memory.db");
  const memory = await openMemory({ store: path, secrets: "allow" });
  await fill(memory, await memory.openSession("a"));
  await memory.close();
  copyFileSync(path, `${path}.bak`);
  const redacted = await holdfast("forget", secret.toLowerCase(), "--yes", "--store", path);
  assert.equal(redacted.code, 0, redacted.stderr);
  assert.match(redacted.stdout, /^Removed it from \d+ stored values of 2 sessions/m);
  assert.deepEqual(filesWith(directory), []);
  const nothing = await holdfast("forget", "--pattern", "never-[0-9]{9}", "--yes", "--store", path);
  assert.match(nothing.stdout, /The store did not have it/);
  const wrong = await holdfast("forget", "--pattern", "(", "--store", path);
  assert.match(wrong.stderr, /is not a regular expression/);
  const purged = await holdfast("forget", "--session", "a", "--yes", "--store", path);
  assert.equal(purged.code, 0, purged.stderr);
  assert.ok(!readFileSync(path).includes("first line"));
  assert.ok(!readFileSync(`${path}.bak`).includes("first line"));
});
