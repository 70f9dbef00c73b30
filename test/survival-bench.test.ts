import assert from "node:assert/strict";
import { test } from "node:test";
import { costOf } from "../bench/survival/cost.ts";
import { phases, planKills } from "../bench/survival/kill-plan.ts";
import { compareKilled, runKilled } from "../bench/survival/kills.ts";
import { tokensOf } from "../bench/survival/request-text.ts";
import { totalCost } from "../bench/survival/results.ts";
import { jobsOf } from "../bench/survival/run-all.ts";
import { runStory } from "../bench/survival/run-story.ts";
import type { SeenRequest } from "../bench/survival/script.ts";
import { makeStory, type StoryOptions, storyKinds } from "../bench/survival/story.ts";
import type { System } from "../bench/survival/system.ts";
import { holdfast } from "../bench/survival/systems/holdfast.ts";
import { noMemory } from "../bench/survival/systems/no-memory.ts";
import type { ScriptedRequest } from "../src/testing/index.ts";

test("a story depends on its seed alone, and its user says every number once [bench.seeds]", () => {
  for (const kind of storyKinds) {
    const make = (seed: number) => makeStory({ kind, seed, compactions: 3, window: 8_000 });
    assert.deepEqual(make(7), make(7));
    assert.notDeepEqual(make(7).marks, make(8).marks);
    const { turns, more, marks } = make(7);
    const said = [...turns, ...more].map(({ user }) => user).join("\n");
    const done = JSON.stringify([...turns, ...more].map(({ steps, answer }) => [steps, answer]));
    for (const { number } of marks) {
      assert.equal(said.split(number).length, 2, `${kind}: ${number}`);
      assert.ok(!done.includes(number));
    }
  }
});

test("the cost of a run does not depend on the clock and on random ids [bench.seeds]", () => {
  const runAt = (time: string, first: string, second: string) => {
    const shown = (id: string) => `User${time}: look at group ${id}`;
    const requests = [[shown(first)], [shown(first), shown(second)], [shown(second)]].map((texts) => ({
      model: "m",
      messages: texts.map((content) => ({ role: "user", content })),
    }));
    return { ...costOf(requests.map(asTurn), 100), tokens: requests.map(tokensOf) };
  };
  const run = runAt(" (10:12 AM)", "df40afe8b2121310", "df1dc521d51d8829");
  assert.deepEqual(runAt(" (9:59 PM)", "0a1dc521d51d8829", "cf40afe8b2121310"), run);
  assert.deepEqual(runAt("", "0a1dc521d51d8829", "cf40afe8b2121310"), run, "in the same minute as before");
  assert.ok(run.prefixBytesChanged > 0, "two ids stay two ids");
  for (const [now, then] of [
    ["(2026-11-17 12:35:07Z)", "(2026-11-17 12:36:07Z)"],
    ["(2026-11-17 12:35", "(2026-11-17 12:36"],
  ] as const) {
    const shownAt = (...times: string[]) =>
      costOf(
        times.map((time) => asTurn(saying(`${time} a note`))),
        100,
      );
    assert.deepEqual(shownAt(now, then), shownAt(now, now), now);
  }
});

function saying(content: string): ScriptedRequest {
  return { model: "m", messages: [{ role: "user", content }] };
}

function asTurn(request: ScriptedRequest): SeenRequest {
  return { kind: "turn", request };
}

test("the prefix of a turn is compared with that of the turn before, in bytes [bench.seeds]", () => {
  const turns = [asTurn(saying("a ñandú")), asTurn(saying("a ñandú runs")), asTurn(saying("a dog"))];
  const summary: SeenRequest = { kind: "summary", request: saying("Summarise this conversation.") };
  const without = costOf(turns, 0);
  assert.equal(without.prefixBytesChanged, Buffer.byteLength("ñandú runs"));
  const [first, second, third] = turns as [SeenRequest, SeenRequest, SeenRequest];
  const asked = costOf([first, summary, second, summary, third], 0);
  assert.equal(asked.prefixBytesChanged, without.prefixBytesChanged, "no cache loses anything by a summary");
  assert.ok(asked.dollars > without.dollars, "but it costs");
});

const short: StoryOptions = { kind: "said", compactions: 1, window: 8_000, seed: 7 };

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
  assert.ok(result.overflows > 0);
  assert.equal(result.failedTurns, result.overflows, JSON.stringify(result));
  assert.match(result.failure ?? "", /maximum context length/);
  assert.equal(result.compacted, 0);
  const { dollarsPer100Turns } = totalCost([result]);
  assert.equal(dollarsPer100Turns, (100 * result.dollars) / result.answeredTurns);
});

test("a system is killed in a conversation of the first seed given [bench.seeds]", () => {
  const seeds = jobsOf("holdfast", { seeds: [4, 5] }).flatMap(({ killSeed }) => killSeed ?? []);
  assert.deepEqual(seeds, [4]);
});

test("a story killed in every phase has what it has without kills, and no memory has not [bench.kills]", async () => {
  const noted = { ...short, kind: "noted" } as const;
  const long = { ...short, kind: "long ask" } as const;
  const unkilled = await Promise.all([noted, long].map((story) => runStory(holdfast, story)));
  assert.deepEqual(
    unkilled.map(({ reached }) => reached.length),
    [3, 3],
  );
  const [once, asked, never] = await runKilled("holdfast", [
    { system: holdfast, story: noted },
    { system: holdfast, story: long },
    { system: holdfast, story: noted, plan: [] },
  ]);
  assert.ok(once && asked && never && unkilled[0] && unkilled[1]);
  assert.deepEqual([once.kills, asked.kills, never.kills], [5, 4, 0], "a long ask is one turn");
  for (const [run, same] of [
    [once, unkilled[0]],
    [asked, unkilled[1]],
    [never, unkilled[0]],
  ] as const)
    assert.ok(compareKilled(run, same).survived, JSON.stringify([run, same]));
  const kept = await runStory(noMemory, short);
  const [lost] = await runKilled("no-memory", [{ system: noMemory, story: short }]);
  assert.ok(lost && kept.reached.length > 0);
  assert.ok(!compareKilled(lost, kept).survived, JSON.stringify([lost, kept]));
});

test("kills come in every phase, with ten compactions each in another epoch [bench.kills]", () => {
  for (const kind of storyKinds) {
    const story = makeStory({ kind, seed: 7, compactions: 10, window: 8_000 });
    const plan = planKills(story, holdfast);
    const expected = phases.filter((phase) => kind !== "long ask" || phase !== "between two turns");
    assert.deepEqual(
      plan.map(({ phase }) => phase),
      expected,
    );
    const places = kind === "long ask" ? (story.turns[0]?.steps.length ?? 0) / 2 : story.turns.length;
    const epochs = new Set(plan.map(({ from }) => Math.floor((10 * from) / places)));
    assert.equal(epochs.size, plan.length, kind);
  }
});
