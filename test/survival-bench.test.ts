import assert from "node:assert/strict";
import { test } from "node:test";
import { costOf } from "../bench/survival/cost.ts";
import { phases, planKills } from "../bench/survival/killed-conversation.ts";
import { compareKilled, runKilled } from "../bench/survival/kills.ts";
import { totalCost } from "../bench/survival/report.ts";
import { runStory } from "../bench/survival/run-story.ts";
import { makeStory, type StoryOptions } from "../bench/survival/story.ts";
import type { System } from "../bench/survival/system.ts";
import { holdfast } from "../bench/survival/systems/holdfast.ts";
import { noMemory } from "../bench/survival/systems/no-memory.ts";
import type { ScriptedRequest } from "../src/testing/index.ts";

test("a story depends on its seed alone, and its user says every number once [bench.seeds]", () => {
  const make = (seed: number) => makeStory({ seed, compactions: 3, window: 8_000 });
  assert.deepEqual(make(7), make(7));
  assert.notDeepEqual(make(7).marks, make(8).marks);
  const { turns, more, marks, files } = make(7);
  const said = [...turns, ...more].map(({ user }) => user).join("\n");
  const done = JSON.stringify([[...turns, ...more].map(({ answer }) => answer), [...files]]);
  for (const { number } of marks) {
    assert.equal(said.split(number).length, 2, number);
    assert.ok(!done.includes(number));
  }
});

test("the part of a prompt that an earlier one began with costs a tenth [bench.cost]", () => {
  const saying = (content: string): ScriptedRequest => ({
    model: "m",
    messages: [{ role: "user", content }],
  });
  const [long, other] = ["a".repeat(40_000), "b".repeat(40_000)];
  const once = costOf([saying(long)], 0);
  const close = (dollars: number, expected: number) => assert.ok(Math.abs(dollars / expected - 1) < 0.01);
  close(costOf([saying(long), saying(`${long} more`)], 0), 1.1 * once);
  close(costOf([saying(long), saying(other)], 0), 2 * once);
  close(costOf([saying(long), saying("a summary"), saying(`${long} more`)], 0), 1.1 * once);
  close(costOf([], 4_000_000), 15);
});

const short: StoryOptions = { compactions: 1, window: 8_000, seed: 7 };

/** No memory, in a system that returns as if nothing had happened when it is refused. */
const silent: System = {
  ...noMemory,
  async open(setting) {
    const running = await noMemory.open({ ...setting, window: Number.POSITIVE_INFINITY });
    return { ...running, send: (text) => running.send(text).catch(() => {}) };
  },
};

test("a turn that was refused and not answered has failed, whatever the system returns [bench.failures]", async () => {
  const result = await runStory(silent, short);
  assert.ok(result.failedTurns > 0, JSON.stringify(result));
  assert.match(result.failure ?? "", /maximum context length/);
  const { dollarsPer100Turns } = totalCost([result]);
  assert.equal(dollarsPer100Turns, (100 * result.dollars) / result.answeredTurns);
});

test("a story killed in every phase has what it has without kills, and no memory has not [bench.kills]", async () => {
  const { reached } = await runStory(holdfast, short);
  assert.equal(reached.length, 3);
  const [killed] = await runKilled("holdfast", holdfast, [short]);
  const [unkilled] = await runKilled("holdfast", holdfast, [short], []);
  assert.ok(killed && unkilled);
  assert.deepEqual([killed.kills, unkilled.kills], [5, 0]);
  for (const run of [killed, unkilled]) assert.ok(compareKilled(run, reached).survived, JSON.stringify(run));
  const kept = await runStory(noMemory, short);
  const [lost] = await runKilled("no-memory", noMemory, [short]);
  assert.ok(lost && kept.reached.length > 0);
  assert.ok(!compareKilled(lost, kept.reached).survived, JSON.stringify([lost, kept]));
});

test("kills come in every phase, with ten compactions each in another epoch [bench.kills]", () => {
  const story = makeStory({ seed: 7, compactions: 10, window: 8_000 });
  const plan = planKills(story, holdfast);
  assert.deepEqual(
    plan.map(({ phase }) => phase),
    phases,
  );
  const epochs = new Set(plan.map(({ from }) => Math.floor((10 * from) / story.turns.length)));
  assert.equal(epochs.size, plan.length);
});
