import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { costOf } from "../bench/survival/cost.ts";
import { judge } from "../bench/survival/facts.ts";
import { drawResults } from "../bench/survival/picture.ts";
import type { Report } from "../bench/survival/report.ts";
import { tokensOf } from "../bench/survival/request-text.ts";
import type { Score } from "../bench/survival/score.ts";
import { runSlice } from "../bench/survival/slice.ts";
import { makeStory } from "../bench/survival/stories.ts";
import { storyKinds } from "../bench/survival/story.ts";
import { holdfast } from "../bench/survival/systems/holdfast.ts";
import { nameDump } from "../bench/survival/systems/name-dump.ts";
import { noMemory } from "../bench/survival/systems/no-memory.ts";
import { systemIds } from "../bench/survival/systems.ts";
import { documented, withFigures } from "../bench/survival/write-docs.ts";

const root = join(import.meta.dirname, "..");

test("a fact counts only if subject, relation and value are close together [bench.bound]", () => {
  const fact = { id: "f", subject: "svc-lyra", relation: ["port"], value: "9032", old: ["7411"] };
  const bound = (text: string) => judge(text, fact).bound;
  assert.ok(bound("The port of svc-lyra is 9032."));
  assert.ok(!bound("Names: svc-lyra 9032 7411 src/ports.ts"), "a dump of names has no relation");
  assert.ok(!bound(`The port of svc-lyra: ${"x ".repeat(200)} 9032`), "too far apart");
  assert.ok(!bound("The port of svc-lyra is 90321."), "another number");
  assert.ok(judge("The port of svc-lyra is 7411.", fact).stale);
});

test("a value belongs to the nearest of similar names [bench.bound]", () => {
  const fact = { id: "f", subject: "pavo-apb", relation: ["port"], value: "2", rivals: ["pavo-apa"] };
  assert.ok(judge("pavo-apa has port 1\npavo-apb has port 2", fact).bound);
  assert.ok(!judge("pavo-apa has port 2\npavo-apb has port 1", fact).bound);
});

test("work that is done and appears only as open is resurrected [bench.bound]", () => {
  const fact = {
    id: "f",
    subject: "rotate the key",
    relation: [],
    value: "rotate the key",
    status: "done",
  } as const;
  const judged = (text: string) => judge(text, fact);
  assert.deepEqual(judged("- [ ] rotate the key"), { bound: false, stale: false, resurrected: true });
  assert.deepEqual(judged("- [x] rotate the key"), { bound: true, stale: false, resurrected: false });
  assert.deepEqual(judged("nothing"), { bound: false, stale: false, resurrected: false });
});

test("a story depends on its seed alone, and its first turns have every fact [bench.seeds]", () => {
  for (const kind of storyKinds) {
    const make = (seed: number) => makeStory({ kind, seed, compactions: 3, window: 8_000 });
    assert.deepEqual(make(7), make(7));
    assert.notDeepEqual(make(7).facts, make(8).facts);
    const { turns, facts } = make(7);
    const told = turns
      .flatMap(({ user, steps, answer }) => [
        user,
        ...steps.flatMap(({ input, result }) => [...Object.values(input), result]),
        answer,
      ])
      .join("\n");
    for (const fact of facts) assert.ok(judge(told, fact).bound, `${kind}: ${fact.id}`);
  }
});

test("what a run costs does not depend on the clock and on random ids [bench.seeds]", () => {
  const runAt = (time: string, first: string, second: string) => {
    const shown = (id: string) => `User (${time}): look at group ${id}`;
    const requests = [[shown(first)], [shown(first), shown(second)], [shown(second)]].map((texts) => ({
      model: "m",
      messages: texts.map((content) => ({ role: "user", content })),
    }));
    return { ...costOf(requests, 100), tokens: requests.map(tokensOf) };
  };
  const run = runAt("10:12 AM", "df40afe8b2121310", "df1dc521d51d8829");
  assert.deepEqual(runAt("9:59 PM", "0a1dc521d51d8829", "cf40afe8b2121310"), run);
  assert.ok(run.prefixBytesChanged > 0, "two ids stay two ids");
});

test("a slice of the survival benchmark: Holdfast keeps what a dump of names and no memory lose [bench.survival]", async () => {
  const { results, score } = await sound;
  assert.ok(
    results.every(({ compacted, tokens }) => compacted >= 1 && tokens !== undefined),
    JSON.stringify(results),
  );
  assert.deepEqual((await runSlice(holdfast)).results, results, "byte for byte the same");
  assert.equal(score.lost + score.stale, 0, JSON.stringify(score));
  for (const baseline of [noMemory, nameDump]) {
    const { context } = (await runSlice(baseline)).score;
    assert.ok(context < score.context - 0.3, `${baseline.name}: ${context}, Holdfast: ${score.context}`);
  }
});

/** Without a fault once for both tests. */
const sound = runSlice(holdfast);

test("the page, the picture and the figures of the survival benchmark agree [bench.docs]", () => {
  const report = JSON.parse(readFileSync(documented.results, "utf8")) as Report;
  const page = readFileSync(documented.page, "utf8");
  assert.equal(
    withFigures(page, report),
    page,
    "run: node bench/survival/run.ts --from docs/benchmark-results.json --write",
  );
  assert.equal(drawResults(report.results), readFileSync(documented.picture, "utf8"));
  const named = report.results.systems.map(({ id }) => id);
  assert.deepEqual(named, systemIds);
});

async function planted(fault: string): Promise<Score> {
  const args = ["--import", "./bench/survival/planted.ts", "bench/survival/slice.ts"];
  const env = { ...process.env, HOLDFAST_PLANT: fault };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  return JSON.parse(stdout) as Score;
}

test("a fault planted into our memory lowers the score [bench.mutations]", async () => {
  const [{ score }, asks, stale] = await Promise.all([sound, planted("asks"), planted("stale")]);
  assert.ok(asks.context < score.context, `without asks: ${asks.context}, with them: ${score.context}`);
  assert.ok(stale.stale > score.stale, `stale value kept: ${stale.stale}, replaced: ${score.stale}`);
});
