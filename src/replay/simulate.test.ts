import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { describeResult } from "../compaction/clearing.ts";
import { toolResultsOf } from "../context/conversation.ts";
import type { Placement } from "../context/placement.ts";
import { calibrate } from "./calibrate.ts";
import { buildClearingProblem } from "./clearing-problem.ts";
import { defaultMemory } from "./memory-model.ts";
import { costOf, type Prices } from "./prices.ts";
import { layOutConversation } from "./prompt-layout.ts";
import { type DecideClearing, measureCacheWarmth, type SimulatedCall, simulate } from "./simulate.ts";
import { type ExampleOptions, exampleSystem, exampleTranscript } from "./test-support/example-transcript.ts";

const prices: Prices = { input: 5, cacheWrite: 6.25, cacheRead: 0.5, output: 25 };
const policy = { contextWindow: 200_000, compactAt: 0.8, keep: 0.25, outputReserve: 4_000 };

function prepare(options: ExampleOptions, editEvery = 4) {
  const transcript = exampleTranscript(options);
  const calibration = calibrate(transcript);
  const parts = layOutConversation(transcript, calibration, "recorded", policy);
  const warmth = measureCacheWarmth(transcript, calibration, parts);
  const run = (placement: Placement | "none", clearing?: DecideClearing) =>
    simulate({
      transcript,
      calibration,
      parts,
      warmth,
      placement,
      memory: { ...defaultMemory, editEvery },
      clearing,
    });
  return { transcript, calibration, parts, run };
}

const dollars = (calls: readonly SimulatedCall[]) =>
  calls.reduce((sum, { counts }) => sum + costOf(counts, prices), 0);
const long = Array.from({ length: 20 }, (_, call) => 200 + call * 10);

test("without memory and clearing, every call reproduces the recorded usage", () => {
  const options = { results: long, asks: [5, 12], cold: [7], compactions: [10] };
  const { transcript, run, calibration } = prepare(options);
  assert.ok(Math.abs(calibration.system - exampleSystem) <= 1);
  for (const [index, { counts }] of run("none").entries()) {
    const recorded = transcript.calls[index]?.usage;
    for (const kind of ["input", "cacheRead", "cacheWrite", "output"] as const) {
      assert.ok(Math.abs(counts[kind] - (recorded?.[kind] ?? 0)) < 1, `call ${index}, ${kind}`);
    }
  }
});

test("system: a change rewrites everything after the system prompt", () => {
  const { run } = prepare({ results: long });
  for (const [index, { common }] of run("system").entries()) {
    const changed = index % 4 === 0;
    if (index > 0) assert.equal(Math.abs(common - exampleSystem) < 1, changed, `call ${index}`);
  }
});

test("message: the block moves to the newest question, which rewrites the prompt from the previous one on", () => {
  const { run } = prepare({ results: long, asks: [6] }, 100);
  const calls = run("message");
  const blockAt = (index: number) => calls[index]?.segments.findIndex(({ key }) => key.startsWith("notepad"));
  assert.equal(blockAt(5), 1);
  assert.equal(blockAt(6), 1 + 13);
  assert.ok(Math.abs((calls[6]?.common ?? 0) - exampleSystem) < 1);
  assert.ok((calls[7]?.common ?? 0) > exampleSystem + 1_500);
});

test("epoch: the sent prompt does not change until the next compaction folds in the changes", () => {
  const { run, parts } = prepare({ results: long, asks: [6, 9, 14], compactions: [12] });
  const calls = run("epoch");
  for (const [index, { common }] of calls.entries()) {
    const before = calls[index - 1]?.segments;
    if (!before || parts[index]?.compacted) continue;
    const sent = before.reduce((sum, { tokens }) => sum + tokens, 0);
    assert.ok(Math.abs(common - sent) < 1e-6, `call ${index}`);
  }
  const keys = (index: number) =>
    calls[index]?.segments.flatMap(({ key, message }) => (message === undefined ? [key] : []));
  assert.deepEqual(keys(11), ["system", "snapshot 0", "change 0 to 1", "change 1 to 2"]);
  assert.deepEqual(keys(12), ["system", "snapshot 3", "summary before 26"]);
});

test("epoch: a full copy replaces changes that outgrow the notepad", () => {
  const { run } = prepare(
    { results: new Array(60).fill(20), asks: Array.from({ length: 60 }, (_, call) => call) },
    1,
  );
  const sizes =
    run("epoch")
      .at(-1)
      ?.segments.flatMap(({ key, tokens }) => (key.startsWith("change") ? [tokens] : [])) ?? [];
  assert.ok(sizes.filter((tokens) => tokens > 1_400).length >= 1);
  assert.ok(sizes.filter((tokens) => tokens < 200).length >= 40);
});

test("a cache lost in the recording is lost under every policy", () => {
  const { run } = prepare({ results: long, cold: [9] });
  for (const placement of ["none", "system", "message", "epoch"] as const) {
    assert.equal(run(placement)[9]?.counts.cacheRead, 0, placement);
  }
});

test("the clearing problem predicts exactly the cost that the simulation charges for a plan", () => {
  const options = { results: long, asks: [6], cold: [13], compactions: [9] };
  const { transcript, calibration, parts, run } = prepare(options);
  const results = transcript.messages.flatMap(toolResultsOf);
  const table = transcript.calls.map(() => prices);
  for (const placement of ["none", "system", "message", "epoch"] as const) {
    const calls = run(placement);
    const input = { transcript, calibration, parts, calls, prices: table, keepLast: 2 };
    const problems = [buildClearingProblem(input, 0, 9), buildClearingProblem(input, 9, calls.length)];
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.nat(19), { freq: 2 }), { minLength: 20, maxLength: 20 }),
        (choices) => {
          let expected = dollars(calls);
          const plan = new Map<number, number[]>();
          for (const { moments, results: clearable, rewriting } of problems) {
            const done = new Set<number>();
            for (const [moment, call] of moments.entries()) {
              const choice = choices[call] ?? undefined;
              const due = clearable.flatMap((result, index) =>
                result.from <= moment && !done.has(index) ? [{ ...result, index }] : [],
              );
              const first = choice === undefined ? undefined : due[choice % Math.max(1, due.length)];
              if (!first) continue;
              expected += rewriting(moment, first.index);
              const fresh = due.filter(({ index }) => index >= first.index);
              for (const { index, saving } of fresh) {
                done.add(index);
                expected -= saving[moment] ?? 0;
              }
              plan.set(
                call,
                fresh.map(({ message }) => message),
              );
            }
          }
          let call = -1;
          const charged = run(placement, () => {
            call++;
            return (plan.get(call) ?? []).flatMap((message) => {
              const result = results.find((one) => one.message === message + 1);
              if (!result) return [];
              const summary = describeResult(
                result.tool,
                { path: `file-${result.id.slice(5)}.ts` },
                result.text,
              );
              return [{ ...result, id: result.key, summary, tokens: 0 }];
            });
          });
          assert.ok(Math.abs(dollars(charged) - expected) < 1e-9);
        },
      ),
      { numRuns: 60 },
    );
  }
});

test("compactions are planned only when the window is nearly full [replay.compaction]", () => {
  const transcript = exampleTranscript({ results: Array.from({ length: 60 }, () => 400) });
  const calibration = calibrate(transcript);
  const window = { ...policy, contextWindow: 16_000, outputReserve: 500 };
  const parts = layOutConversation(transcript, calibration, "planned", window);
  const totals = parts.map(
    ({ sizes, summary }) => calibration.system + summary + sizes.reduce((a, b) => a + b, 0),
  );
  const cuts = parts.flatMap(({ compacted }, call) => (compacted ? [call] : []));
  assert.ok(cuts.length >= 2 && cuts.length <= 6, `${cuts.length} compactions`);
  for (const cut of cuts) assert.ok((totals[cut - 1] ?? 0) > 16_000 * 0.7, `before call ${cut}`);
  assert.ok(totals.every((total) => total <= 16_000 * 0.8 + 1_000));
});
