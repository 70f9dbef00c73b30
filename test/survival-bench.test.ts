import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { type Cell, runCell } from "../bench/survival/cells.ts";
import { costOf } from "../bench/survival/cost.ts";
import { judge } from "../bench/survival/facts.ts";
import { phases, planKills } from "../bench/survival/kill-plan.ts";
import type { KillResult } from "../bench/survival/kills.ts";
import { tokensOf } from "../bench/survival/request-text.ts";
import { jobsOf } from "../bench/survival/run-all.ts";
import { type Score, scoreOf } from "../bench/survival/score.ts";
import type { SeenRequest } from "../bench/survival/script.ts";
import { runKillSlice, runSlice } from "../bench/survival/slice.ts";
import { makeStory } from "../bench/survival/stories.ts";
import { storyKinds } from "../bench/survival/story.ts";
import type { System } from "../bench/survival/system.ts";
import { holdfast } from "../bench/survival/systems/holdfast.ts";
import { noMemory } from "../bench/survival/systems/no-memory.ts";
import type { ScriptedRequest } from "../src/testing/index.ts";

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

const failing: Cell = {
  kind: "rule",
  track: "stories",
  summariser: "S4",
  compactions: 1,
  window: 8_000,
  seed: 7,
};

/** No memory, in a system that returns as if nothing had happened when it is refused, and compacts only with a summary. */
const silent: System = {
  ...noMemory,
  async open(setting) {
    const running = await noMemory.open({ ...setting, window: Number.POSITIVE_INFINITY });
    let turns = 0;
    return {
      ...running,
      async send(text) {
        await running.send(text).catch(() => {});
        if (++turns > 3) await askForSummary(setting.url);
      },
    };
  },
};

async function askForSummary(url: string): Promise<void> {
  const body = JSON.stringify(saying("Summarise this conversation."));
  const headers = { "content-type": "application/json" };
  await fetch(`${url}/chat/completions`, { method: "POST", headers, body }).catch(() => {});
}

test("a turn that was refused and not answered has failed, whatever the system returns [bench.failures]", async () => {
  const result = await runCell(silent, failing);
  assert.ok(result.overflows > 0);
  assert.equal(result.failedTurns, result.overflows, JSON.stringify(result));
  assert.match(result.failure ?? "", /maximum context length/);
  const { dollarsPer100Turns } = scoreOf([result]);
  assert.equal(dollarsPer100Turns, (100 * result.dollars) / result.answeredTurns);
});

test("a failed summary is not a compaction, unless the system goes on without it [bench.failures]", async () => {
  assert.equal((await runCell(silent, failing)).compacted, 0);
  for (const system of [holdfast, noMemory]) {
    const { compacted, failedTurns } = await runCell(system, { ...failing, compactions: 3 });
    assert.ok(compacted >= 3, `${system.name}: ${compacted}`);
    assert.equal(failedTurns, 0);
  }
});

test("an edit by a person is not a turn that was answered [bench.failures]", async () => {
  const edited: Cell = { ...failing, kind: "edit", summariser: "S0" };
  const said = makeStory(edited).turns.filter(({ isEdit }) => !isEdit);
  const { answeredTurns } = await runCell(holdfast, edited);
  assert.equal(answeredTurns, said.length + 1, "and the closing question");
});

test("a system is killed in a conversation of the first seed given [bench.seeds]", () => {
  const seeds = jobsOf("holdfast", { seeds: [4, 5] }).flatMap(({ killSeed }) => killSeed ?? []);
  assert.deepEqual(seeds, [4]);
});

test("a slice of the survival benchmark: Holdfast keeps what no memory loses [bench.survival]", async () => {
  const { results, score } = await sound;
  assert.ok(
    results.every(({ compacted, tokens }) => compacted >= 1 && tokens !== undefined),
    JSON.stringify(results),
  );
  assert.deepEqual((await runSlice(holdfast)).results, results, "byte for byte the same");
  assert.equal(score.lost, 0, JSON.stringify(score));
  const { context } = (await runSlice(noMemory)).score;
  assert.ok(context < score.context - 0.3, `no memory: ${context}, Holdfast: ${score.context}`);
});

test("a story whose process is killed in every phase has what it has without kills [bench.kills]", async () => {
  const [rule, ask, unkilled] = await runKillSlice();
  assert.deepEqual([rule?.kills, ask?.kills, unkilled?.kills], [5, 4, 0], "a long ask is one turn");
  for (const result of [rule, ask, unkilled]) {
    assert.ok(result?.survived, JSON.stringify(result));
    assert.equal(result.after, result.without);
  }
});

test("a memory that a new process does not find again survives no kill [bench.kills]", async () => {
  const [rule, ask, unkilled] = (await planted("forgets", "kills")) as KillResult[];
  assert.ok(rule && ask && unkilled?.survived, "without a kill it has everything");
  for (const { survived, after, without } of [rule, ask]) {
    assert.ok(!survived);
    assert.ok(after < without, `${after} of ${without}`);
  }
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

/** Without a fault once for both tests. */
const sound = runSlice(holdfast);

async function planted(fault: string, ...slice: string[]): Promise<unknown> {
  const args = ["--import", "./bench/survival/planted.ts", "bench/survival/slice.ts", ...slice];
  const env = { ...process.env, HOLDFAST_PLANT: fault };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  return JSON.parse(stdout);
}

test("a fault planted into our memory lowers the score [bench.mutations]", async () => {
  const { score } = await sound;
  const asks = (await planted("words")) as Score;
  assert.ok(asks.context < score.context, `without asks: ${asks.context}, with them: ${score.context}`);
});
