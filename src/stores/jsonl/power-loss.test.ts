import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { jsonlStore } from "./jsonl.ts";
import { type FileEvent, recordFiles } from "./test-support/file-layer.ts";

/** Possible outcomes for written but unsynced bytes in a power cut. */
const fates: Record<string, (unsynced: Buffer) => Buffer> = {
  lost: () => Buffer.alloc(0),
  "half written": (unsynced) => unsynced.subarray(0, Math.floor(unsynced.length / 2)),
  "written except one byte": (unsynced) => unsynced.subarray(0, unsynced.length - 1),
  "written as zeros": (unsynced) => Buffer.alloc(unsynced.length),
  "all written": (unsynced) => unsynced,
};

/** The files after a power cut: synced bytes are intact; `fate` decides about the rest. */
function afterPowerCut(
  events: readonly FileEvent[],
  directory: string,
  fate: (unsynced: Buffer) => Buffer,
): Map<string, Buffer> {
  const content = new Map<string, Buffer>();
  const synced = new Map<string, Buffer>();
  let named = new Set<string>();
  for (const event of events) {
    if (event.call === "acknowledged") continue;
    const now = content.get(event.name) ?? Buffer.alloc(0);
    if (event.call === "write")
      content.set(event.name, Buffer.concat([now.subarray(0, event.at), event.data]));
    else if (event.call === "truncate") content.set(event.name, now.subarray(0, event.size));
    else if (event.call === "remove") content.delete(event.name);
    else if (event.name === directory) named = new Set(content.keys());
    else synced.set(event.name, now);
  }
  const files = new Map<string, Buffer>();
  for (const [name, now] of content) {
    const safe = synced.get(name) ?? Buffer.alloc(0);
    const rest = now.length >= safe.length ? now.subarray(safe.length) : Buffer.alloc(0);
    const left = Buffer.concat([safe, fate(rest)]);
    // A file name may be lost if its directory was not synced.
    if (named.has(name) || fate === fates["all written"]) files.set(name, left);
  }
  return files;
}

test("a power cut at any moment loses no acknowledged write [stores.crash]", async (context) => {
  const recorded = join(temporaryDirectory(), "recorded");
  const operations = 12;
  const events = await recordFiles(async (log) => {
    const memory = await openTestMemory({
      store: await jsonlStore({ directory: recorded }),
      limits: { noteCharacters: 100_000 },
    });
    const session = await memory.createSession({ id: "a" });
    for (let number = 1; number <= operations; number++) {
      await session.notes.add(`${number} ${"x".repeat(number % 4 ? 20 : 90_000)}`, []);
      log.push({ call: "acknowledged", operations: number });
    }
    await memory.close();
  });
  assert.ok(events.some((event) => event.call === "write" && event.data.includes('"type":"snapshot"')));

  const directory = join(temporaryDirectory(), "recorded");
  let cuts = 0;
  for (let end = 0; end <= events.length; end++) {
    const past = events.slice(0, end);
    const acknowledged = past.reduce(
      (count, event) => (event.call === "acknowledged" ? event.operations : count),
      0,
    );
    for (const [name, fate] of Object.entries(fates)) {
      rmSync(directory, { recursive: true, force: true });
      mkdirSync(directory);
      for (const [file, data] of afterPowerCut(past, "recorded", fate))
        writeFileSync(join(directory, file), data);
      const memory = await openTestMemory({ store: await jsonlStore({ directory, onWarning: () => {} }) });
      const session = await memory.findSession("a");
      const notes = session
        ? (await session.notes.all()).map(({ content }) => Number(content.split(" ")[0])).toReversed()
        : [];
      const moment = `unsynced bytes ${name}, cut after ${end} of ${events.length} calls`;
      assert.ok(
        notes.length >= acknowledged,
        `${moment}: ${notes.length} of ${acknowledged} acknowledged notes left`,
      );
      assert.deepEqual(
        notes,
        notes.map((_, index) => index + 1),
        moment,
      );
      await memory.close();
      cuts++;
    }
  }
  context.diagnostic(`${cuts} power cuts over ${events.length} calls`);
});
