import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { startProgram } from "../../test/support/processes.ts";
import { seededRandom } from "../../test/support/random.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { marksOf } from "./test-support/marks.ts";
import { afterPowerCut, type Fate } from "./test-support/power-cut.ts";
import { noTracing, readTrace, type TracedCall, tracing } from "./test-support/traced-files.ts";

const skip = noTracing();
const timeout = 10 * 60_000;
const random = seededRandom(42);

const fates: Fate[] = [
  { name: "everything unsynced lost", keeps: () => false, namesStay: false },
  { name: "everything unsynced there", keeps: () => true, namesStay: true },
  {
    name: "only the last unsynced write there",
    keeps: (place, count) => place === count - 1,
    namesStay: true,
  },
  { name: "some unsynced writes there", keeps: () => random(2) === 0, namesStay: true },
];

/** A writer's calls, with enough written for checkpoints on the way. */
async function record(
  storeAt: (directory: string) => string,
): Promise<{ calls: TracedCall[]; directory: string }> {
  const directory = join(temporaryDirectory(), "place");
  mkdirSync(directory);
  const log = join(temporaryDirectory(), "trace");
  const order = {
    store: storeAt(directory),
    session: "a",
    name: "w",
    operations: 80,
    acknowledge: true,
    padding: 40_000,
  };
  const writer = startProgram("writer.ts", order, tracing(log));
  writer.say("go");
  const { code, errors } = await writer.ended;
  assert.equal(code, 0, errors);
  return { calls: await readTrace(log, directory), directory };
}

/** How many acknowledged operations a power cut took back, at its worst, over many moments and fates. */
async function cutEverywhere(context: TestContext, storeAt: (directory: string) => string): Promise<number> {
  const { calls, directory } = await record(storeAt);
  const syncs = calls.flatMap(({ call }, place) =>
    call === "sync" || call === "say" || call === "remove" ? [place, place + 1] : [],
  );
  const moments = [
    ...new Set([...syncs, ...Array.from({ length: 100 }, () => random(calls.length)), calls.length]),
  ].sort((a, b) => a - b);
  const place = join(temporaryDirectory(), "after");
  let worst = 0;
  for (const moment of moments) {
    const past = calls.slice(0, moment);
    const said = past.flatMap((call) => (call.call === "say" ? [call.text.trim()] : []));
    const acknowledged = said.filter((text) => text.includes(":"));
    for (const fate of fates) {
      rmSync(place, { recursive: true, force: true });
      mkdirSync(place);
      for (const [name, data] of afterPowerCut(past, directory, fate))
        if (!name.endsWith("-shm")) writeFileSync(join(place, name), data);
      const memory = await openTestMemory({ store: storeAt(place) });
      const session = await memory.findSession("a");
      const there = new Set(session ? await marksOf(session) : []);
      await memory.close();
      const database = new DatabaseSync(join(place, "memory.db"));
      assert.deepEqual(
        database
          .prepare("PRAGMA integrity_check")
          .all()
          .map((row) => row.integrity_check),
        ["ok"],
        `${fate.name}, call ${moment}`,
      );
      database.close();
      worst = Math.max(worst, acknowledged.filter((mark) => !there.has(mark)).length);
    }
  }
  context.diagnostic(
    `${moments.length * fates.length} power cuts over ${calls.length} calls; at worst ${worst} acknowledged operations were gone`,
  );
  return worst;
}

test("SQLite with synchronous=full: a power cut takes back nothing that was acknowledged", {
  skip,
  timeout,
}, async (context) => {
  assert.equal(await cutEverywhere(context, (directory) => join(directory, "memory.db")), 0);
});

test("SQLite with synchronous=normal: it may take back the last answers, as its name says, and damages nothing", {
  skip,
  timeout,
}, async (context) => {
  // That some are lost here shows that the cuts above are real ones.
  assert.ok(
    (await cutEverywhere(
      context,
      (directory) => `sqlite:${join(directory, "memory.db")}?synchronous=normal`,
    )) > 0,
  );
});
