import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { type HoldfastError, isHoldfastError, type Memory } from "../../index.ts";
import { jsonlStore } from "./jsonl.ts";
import { type Fault, withFault } from "./test-support/file-layer.ts";

const codes = {
  EIO: "store_failed",
  ENOSPC: "store_full",
  EDQUOT: "store_full",
  EROFS: "store_read_only",
  EACCES: "store_read_only",
};

/** Big enough that the file gets a snapshot. */
const content = "x".repeat(60_000);

async function open(directory: string, warnings: string[]): Promise<Memory> {
  const store = await jsonlStore({ directory, onWarning: (warning) => warnings.push(warning) });
  return openTestMemory({ store, limits: { noteCharacters: 100_000 } });
}

/** Creates a session and adds notes; returns what was acknowledged, and what failed with which error. */
async function writeUnder(fault: Fault, directory: string, warnings: string[]) {
  const kept: string[] = [];
  const rejected: { what: string; error: unknown }[] = [];
  const memory = await open(directory, warnings);
  const failed = await withFault(fault, async () => {
    for (const what of ["session", "1", "2", "3", "4", "5", "6"]) {
      try {
        if (what === "session") await memory.createSession({ id: "a" });
        else await (await memory.openSession("a")).notes.add(`${what} ${content}`, []);
        kept.push(what);
      } catch (error) {
        rejected.push({ what, error });
      }
    }
  });
  await memory.close();
  return { kept, rejected, failed };
}

async function notesIn(directory: string): Promise<string[]> {
  const memory = await open(directory, []);
  const session = await memory.findSession("a");
  const notes = session
    ? (await session.notes.all()).map((note) => note.content.split(" ")[0] as string)
    : [];
  await memory.close();
  return notes.toReversed();
}

for (const call of ["writeSync", "fsyncSync"] as const) {
  test(`a failing ${call} throws, is never acknowledged, and the next one works [stores.crash] [bad.full]`, async (context) => {
    let faults = 0;
    for (const half of call === "writeSync" ? [false, true] : [false]) {
      for (let nth = 1; ; nth++) {
        const code = (Object.keys(codes) as (keyof typeof codes)[])[nth % 3] as keyof typeof codes;
        const directory = temporaryDirectory();
        const warnings: string[] = [];
        const { kept, rejected, failed } = await writeUnder({ call, nth, code, half }, directory, warnings);
        if (!failed) break;
        faults++;
        const what = `${call} number ${nth} with ${code}`;
        // Either one operation failed, or a snapshot failed, which only warns.
        assert.equal(
          rejected.length +
            warnings.filter((warning) => warning.includes("could not write a snapshot")).length,
          1,
          what,
        );
        for (const { error } of rejected) {
          assert.ok(isHoldfastError(error), `${what}: ${error}`);
          assert.equal((error as HoldfastError).code, codes[code], what);
        }
        assert.deepEqual(
          await notesIn(directory),
          kept.filter((each) => each !== "session"),
          what,
        );
      }
    }
    context.diagnostic(`${faults} faults`);
    assert.ok(faults >= 8);
  });
}

test("a file that cannot be opened is a typed error, and nothing is lost once it can be opened again [bad.read-only]", async () => {
  for (const code of ["EROFS", "EACCES"] as const) {
    const directory = temporaryDirectory();
    const memory = await open(directory, []);
    const session = await memory.createSession({ id: "a" });
    await session.notes.add("1 first", []);
    // A write opens the file twice: to read new entries, and to append.
    for (const nth of [1, 2]) {
      await withFault({ call: "openSync", nth, code }, async () => {
        await assert.rejects(session.notes.add("rejected", []), { code: "store_read_only" });
      });
    }
    await session.notes.add("2 second", []);
    await memory.close();
    assert.deepEqual(await notesIn(directory), ["1", "2"]);
  }
});
