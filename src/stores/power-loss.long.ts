import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { startProgram } from "../../test/support/processes.ts";
import { seededRandom } from "../../test/support/random.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { checkIntegrity } from "./test-support/check-integrity.ts";
import { writtenLabels } from "./test-support/consistency.ts";
import { afterPowerCut, type Fate } from "./test-support/power-cut.ts";
import { noTracing, readTrace, type TracedCall, tracing } from "./test-support/traced-files.ts";

const skip = noTracing();
const timeout = 10 * 60_000;
const random = seededRandom(42);

const fates: Fate[] = [
  { name: "all unsynced writes lost", keeps: () => false, namesStay: false },
  { name: "all unsynced writes kept", keeps: () => true, namesStay: true },
  {
    name: "only the last unsynced write kept",
    keeps: (index, count) => index === count - 1,
    namesStay: true,
  },
  { name: "some unsynced writes kept", keeps: () => random(2) === 0, namesStay: true },
];

/** Records a writer's calls; it writes enough to trigger WAL checkpoints. */
async function record(
  storeAt: (directory: string) => string,
): Promise<{ calls: TracedCall[]; directory: string }> {
  const directory = join(temporaryDirectory(), "recorded");
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

/** The max number of acknowledged operations lost to one power cut, over many moments and fates. */
async function cutEverywhere(context: TestContext, storeAt: (directory: string) => string): Promise<number> {
  const { calls, directory } = await record(storeAt);
  const syncs = calls.flatMap(({ call }, index) =>
    call === "sync" || call === "say" || call === "remove" ? [index, index + 1] : [],
  );
  const moments = [
    ...new Set([...syncs, ...Array.from({ length: 100 }, () => random(calls.length)), calls.length]),
  ].sort((a, b) => a - b);
  const restored = join(temporaryDirectory(), "after");
  let worst = 0;
  for (const moment of moments) {
    const past = calls.slice(0, moment);
    const printed = past.flatMap((call) => (call.call === "say" ? [call.text.trim()] : []));
    const acknowledged = printed.filter((text) => text.includes(":"));
    for (const fate of fates) {
      rmSync(restored, { recursive: true, force: true });
      mkdirSync(restored);
      for (const [name, data] of afterPowerCut(past, directory, fate))
        if (!name.endsWith("-shm")) writeFileSync(join(restored, name), data);
      const memory = await openTestMemory({ store: storeAt(restored) });
      const session = await memory.findSession("a");
      const stored = new Set(session ? await writtenLabels(session) : []);
      await memory.close();
      checkIntegrity(join(restored, "memory.db"), `${fate.name}, call ${moment}`);
      worst = Math.max(worst, acknowledged.filter((label) => !stored.has(label)).length);
    }
  }
  context.diagnostic(
    `${moments.length * fates.length} power cuts over ${calls.length} calls; at worst ${worst} acknowledged operations were lost`,
  );
  return worst;
}

test("SQLite with synchronous=full: a power cut loses no acknowledged write", {
  skip,
  timeout,
}, async (context) => {
  assert.equal(await cutEverywhere(context, (directory) => join(directory, "memory.db")), 0);
});

test("SQLite with synchronous=normal: a power cut may lose the last acknowledged writes, and damages nothing", {
  skip,
  timeout,
}, async (context) => {
  // Losing some here proves that the simulated cuts are real.
  assert.ok(
    (await cutEverywhere(
      context,
      (directory) => `sqlite:${join(directory, "memory.db")}?synchronous=normal`,
    )) > 0,
  );
});
