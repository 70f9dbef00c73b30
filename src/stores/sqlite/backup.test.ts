import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { openTestMemory, rejection } from "../../../test/support/memory.ts";
import { holdfastWith } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { backUp } from "./backup.ts";
import { sqliteStore } from "./sqlite.ts";

const pageSize = 4_096;
const day = 24 * 3_600_000;

async function writeNotes(path: string, ...contents: string[]): Promise<void> {
  const memory = await openTestMemory({ store: path });
  const session = await memory.openSession("s");
  for (const content of contents) await session.notes.add(`${content} ${"x".repeat(300)}`, []);
  await memory.close();
}

async function readNotes(path: string): Promise<string[]> {
  const memory = await openTestMemory({ store: path });
  try {
    const notes = await (await memory.resumeSession("s")).notes.all();
    return notes.map(({ content }) => content.split(" ")[0] ?? "").toReversed();
  } finally {
    await memory.close();
  }
}

/** Overwrites pages of the file, as a failing disk does. */
function damagePages(path: string, from: number): void {
  const bytes = readFileSync(path);
  for (let at = (from - 1) * pageSize; at < bytes.length; at++) bytes[at] = (at * 7_919) % 251;
  writeFileSync(path, bytes);
}

function age(path: string, milliseconds: number): void {
  const time = (Date.now() - milliseconds) / 1_000;
  utimesSync(path, time, time);
}

/** Follows the message. */
function restore(path: string, message: string): void {
  const [, moved = "", backup = "", to = ""] =
    /stop the programs that use the file, move (.+) away, and copy (\S+) to (\S+)\.$/.exec(message.trim()) ??
    assert.fail(message);
  assert.equal(to, path);
  for (const file of moved.split(/, | and /))
    if (existsSync(file)) renameSync(file, join(temporaryDirectory(), basename(file)));
  copyFileSync(backup, to);
}

test("a store that is open for long is copied once a day, with its log, for the owner only [stores.backup]", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const path = join(temporaryDirectory(), "memory.db");
  const backup = `${path}.backup`;
  const store = await sqliteStore({ path });
  const memory = await openTestMemory({ store });
  await (await memory.createSession({ id: "s" })).notes.add("first ", []);
  context.mock.timers.tick(30_000);
  await memory.close();
  context.mock.timers.reset();
  assert.deepEqual(await readNotes(backup), ["first"]);
  assert.equal(statSync(backup).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dirname(path)).sort(), ["memory.db", "memory.db.backup"]);
  await writeNotes(path, "second");
  assert.equal(await backUp(path), false, "it is not a day old");
  age(backup, day + 1_000);
  assert.equal(await backUp(path), true);
  assert.deepEqual(await readNotes(backup), ["first", "second"]);
});

test("a damaged database does not replace its backup, and a copy that another process makes is left alone [stores.backup]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  await writeNotes(path, "first", "second");
  await backUp(path);
  const backup = `${path}.backup`;
  age(backup, 2 * day);
  const before = readFileSync(backup);
  writeFileSync(`${path}.backup-new`, "in progress");
  assert.equal(await backUp(path), false);
  assert.equal(readFileSync(`${path}.backup-new`, "utf8"), "in progress");
  age(`${path}.backup-new`, day);
  const bytes = readFileSync(path);
  bytes[bytes.lastIndexOf("second")] = 0x53;
  writeFileSync(path, bytes);
  assert.equal(await backUp(path), false);
  assert.deepEqual(readFileSync(backup), before);
  const copies = readdirSync(dirname(path)).filter((name) => name.startsWith("memory.db."));
  assert.deepEqual(copies, ["memory.db.backup"]);
});

test("errors of a damaged database and doctor name the backup and the steps, which restore it [stores.restore]", async () => {
  for (const from of [1, 2, 4]) {
    const path = join(temporaryDirectory(), "memory.db");
    const contents = Array.from({ length: 40 }, (_, number) => `note${number}`);
    await writeNotes(path, ...contents);
    await backUp(path);
    await writeNotes(path, "later");
    damagePages(path, from);
    const doctor = await holdfastWith({ HOLDFAST_DB: path }, "doctor", "--json");
    assert.equal(doctor.code, 1, doctor.stderr);
    const { trouble } = JSON.parse(doctor.stdout) as { trouble: string };
    assert.ok(trouble.startsWith(`${path} is damaged. SQLite reports: `), trouble);
    const shown = await holdfastWith({ HOLDFAST_DB: path }, "show", "s");
    assert.equal(shown.code, 1);
    for (const message of [trouble, shown.stderr]) assert.ok(message.includes(`${path}.backup`), message);
    restore(path, from === 1 ? trouble : shown.stderr);
    assert.deepEqual(await readNotes(path), contents);
  }
});

test("without a backup the error reports it, and doctor finds a single wrong row [stores.restore]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  await writeNotes(path, "first");
  const bytes = readFileSync(path);
  bytes[bytes.lastIndexOf("first")] = 0x46;
  writeFileSync(path, bytes);
  const { trouble } = JSON.parse((await holdfastWith({ HOLDFAST_DB: path }, "doctor", "--json")).stdout);
  assert.match(
    trouble,
    /memory\.db is damaged\. Rows whose checksum does not match: 1\. There is no backup at \S+memory\.db\.backup\..*holdfast store import FILE/,
  );
  damagePages(path, 2);
  const { message } = await rejection(readNotes(path), "store_damaged");
  assert.match(message, /There is no backup at \S+memory\.db\.backup\./);
});

test("purged or rewritten text does not stay in the backup [stores.purge-leaves-nothing]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  await writeNotes(path, "secret");
  await backUp(path);
  const memory = await openTestMemory({ store: path });
  await memory.rewrite((text) => text.replaceAll("secret", "******"));
  assert.ok(!existsSync(`${path}.backup`));
  await backUp(path);
  await memory.purgeSession("s");
  assert.ok(!existsSync(`${path}.backup`));
  await memory.close();
});
