import assert from "node:assert/strict";
import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { openTestMemory, rejection } from "../../../test/support/memory.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { isHoldfastError } from "../../index.ts";
import { checksumOf, findDamage, sealRows } from "./checksums.ts";

/** A database with notes of a known shape, closed. */
async function writeDatabase(): Promise<string> {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: path });
  const session = await memory.createSession({ id: "s" });
  await session.notepad.write("the notepad ".repeat(50));
  for (let number = 0; number < 20; number++)
    await session.notes.add(`note ${number}: ${"abcdefgh ".repeat(30)}`, ["tag"]);
  await memory.close();
  return path;
}

/** Everything the store returns of the session, as JSON; or the error. */
async function readAll(path: string): Promise<string | Error> {
  const memory = await openTestMemory({ store: path }).catch((error: Error) => error);
  if (memory instanceof Error) return memory;
  try {
    const session = await memory.resumeSession("s");
    return JSON.stringify([await session.notepad.read(), await session.notes.all(), await session.history()]);
  } catch (error) {
    return error as Error;
  } finally {
    await memory.close();
  }
}

test("the checksum is CRC-32, and its parts cannot run into each other [stores.sqlite-checksum]", () => {
  assert.equal(checksumOf(["héllo 🦞"]), crc32("héllo 🦞"));
  const sums = [
    ["ab", "c"],
    ["a", "bc"],
    ["abc", null],
    ["abc", ""],
    [null, "abc"],
  ].map(checksumOf);
  assert.equal(new Set(sums).size, sums.length);
});

test("no flipped bit in a text comes back as content [stores.sqlite-checksum]", async (context) => {
  const path = await writeDatabase();
  const whole = readFileSync(path);
  const expected = await readAll(path);
  assert.equal(typeof expected, "string");
  const random = seededRandom(15);
  const copy = join(temporaryDirectory(), "memory.db");
  const places = ["abcdefgh", "the notepad", '"tags"', '"content"'].flatMap((text) => {
    const found: number[] = [];
    for (let at = whole.indexOf(text); at !== -1; at = whole.indexOf(text, at + 1)) found.push(at);
    return Array.from({ length: 15 }, () => (found[random(found.length)] ?? 0) + random(text.length));
  });
  let detected = 0;
  for (const place of places) {
    const flipped = Buffer.from(whole);
    flipped[place] = (flipped[place] ?? 0) ^ (1 << random(7));
    writeFileSync(copy, flipped);
    const read = await readAll(copy);
    if (read === expected) continue;
    assert.ok(isHoldfastError(read), `byte ${place} came back as content`);
    assert.equal(read.code, "store_damaged", read.message);
    detected++;
  }
  context.diagnostic(`${places.length} flips, ${detected} of them in rows that were read`);
  assert.ok(detected > 40);
});

test("a damaged row is named [stores.sqlite-checksum]", async () => {
  const path = await writeDatabase();
  const database = new DatabaseSync(path);
  database.exec(
    "UPDATE session_records SET value = replace(value, 'note 7:', 'note 8:') WHERE kind = 'note' AND value LIKE '%note 7:%'",
  );
  database.exec("UPDATE session_journal SET operation = replace(operation, 'note 3:', 'note 4:')");
  database.close();
  const memory = await openTestMemory({ store: path });
  const session = await memory.resumeSession("s");
  const { message, data } = await rejection(session.notes.all(), "store_damaged");
  assert.match(message, /note \S+ of session s is damaged: its checksum does not match\. There is no backup/);
  assert.equal(data.table, "session_records");
  await rejection(session.history(), "store_damaged");
  await memory.close();
  assert.equal(findDamage(path), "Rows whose checksum does not match: 2.");
});

test("a change by SQL can be sealed again [stores.sqlite-checksum]", async () => {
  const path = await writeDatabase();
  const database = new DatabaseSync(path);
  database.exec("UPDATE agent_sessions SET notepad = 'edited by hand'");
  sealRows(database, { owner: "local", sessionId: "s" });
  database.close();
  const memory = await openTestMemory({ store: path });
  assert.equal(await (await memory.resumeSession("s")).notepad.read(), "edited by hand");
  await memory.close();
});

test("a redaction does not give damaged rows valid checksums [stores.sqlite-checksum]", async () => {
  const path = await writeDatabase();
  const database = new DatabaseSync(path);
  database.exec(
    "UPDATE session_records SET value = replace(value, 'note 7:', 'nope 7:') WHERE kind = 'note'",
  );
  database.exec(
    "UPDATE session_journal SET operation = replace(operation, 'note 8:', 'nope 8:') WHERE operation LIKE '%note 8:%'",
  );
  database.close();
  const memory = await openTestMemory({ store: path });
  await memory.rewrite((text) => text.replaceAll("note 9:", "xxxx 9:"));
  await memory.close();
  const after = await openTestMemory({ store: path });
  const session = await after.resumeSession("s");
  await rejection(session.notes.all(), "store_damaged");
  await rejection(session.history(), "store_damaged");
  await after.close();
  assert.equal(findDamage(path), "Rows whose checksum does not match: 2.");
});

test("the write-ahead log shrinks again after a reader kept it from being reused [stores.wal-limit]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: path });
  const session = await memory.createSession({ id: "s" });
  const reader = new DatabaseSync(path);
  reader.exec("BEGIN; SELECT count(*) FROM agent_sessions");
  const logBytes = () => statSync(`${path}-wal`).size;
  while (logBytes() < 18_000_000) await session.notepad.write(`${Math.random()} ${"x".repeat(30_000)}`);
  reader.exec("COMMIT");
  reader.close();
  for (let round = 0; round < 120; round++) await session.notepad.append(".");
  assert.ok(logBytes() <= 5_000_000, `the log has ${logBytes()} bytes`);
  await memory.close();
});

test("a copy of a live database is complete with its log [stores.sqlite-checksum]", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: path });
  await (await memory.createSession({ id: "s" })).notepad.write("only in the log");
  const copy = join(temporaryDirectory(), "copy.db");
  for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${copy}${end}`);
  assert.match(String(await readAll(copy)), /only in the log/);
  await memory.close();
});
