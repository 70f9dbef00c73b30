import assert from "node:assert/strict";
import { test } from "node:test";
import { HostedRun } from "./hosted-run.ts";
import { defaultSandboxLimits, type SandboxLimits } from "./limits.ts";
import { sharedNow, type ToWorker } from "./protocol.ts";
import type { SandboxApi } from "./sandbox.ts";

const api: SandboxApi = { paths: ["session.notes.all"], call: async () => ({ value: "x".repeat(1_000) }) };

/** A run whose worker keeps to nothing. */
function startRun(limits: Partial<SandboxLimits> = {}) {
  const sent: ToWorker[] = [];
  const run = new HostedRun(1, { code: "", api }, { ...defaultSandboxLimits, ...limits }, (message) =>
    sent.push(message),
  );
  run.start(false);
  const result = async () => {
    const answer = await run.conclude(await run.ended);
    return [!answer.ok && answer.limit, run.obeyed];
  };
  return { run, sent, result };
}

const ask = (run: HostedRun, call: number, path = "session.notes.all", args = "[]") =>
  run.hear({ type: "call", run: 1, call, path, args });

test("a worker that does not stop is ended by its host, limit by limit [sandbox.outside]", async () => {
  const running = startRun();
  running.run.look(Float64Array.of(sharedNow(), 0));
  running.run.look(Float64Array.of(sharedNow() - 10_000, 0));
  assert.deepEqual(await running.result(), ["cpu", false]);

  const summed = startRun();
  summed.run.look(Float64Array.of(0, 10_000));
  assert.deepEqual(await summed.result(), ["cpu", false]);

  const slow = startRun({ wallMilliseconds: -1_000 });
  slow.run.look(Float64Array.of(0, 0));
  assert.deepEqual(await slow.result(), ["wall", false]);

  const loud = startRun({ outputCharacters: 10 });
  loud.run.hear({ type: "log", run: 1, text: "x".repeat(30) });
  assert.deepEqual(await loud.result(), ["output", false]);

  const busy = startRun({ operations: 3 });
  for (let call = 1; call <= 4; call++) ask(busy.run, call);
  assert.deepEqual(await busy.result(), ["operations", false]);

  const greedy = startRun({ memoryBytes: 20_000 });
  for (let call = 1; call <= 30; call++) ask(greedy.run, call);
  assert.deepEqual(await greedy.result(), ["memory", false]);
});

test("what is not offered, or makes no sense, is refused to the worker [sandbox.outside]", async () => {
  const { run, sent, result } = startRun();
  ask(run, 1, "session.apply");
  ask(run, 2, "constructor");
  ask(run, 3, "session.notes.all", "no JSON");
  run.hear({ type: "call", run: 99, call: 4, path: "session.notes.all", args: "[]" });
  run.hear({ type: "end", run: 1, end: { kind: "done", value: "1" }, retire: false });
  assert.deepEqual(await result(), [false, true]);
  const answers = sent.flatMap((message) => (message.type === "settle" ? [[message.call, message.ok]] : []));
  assert.deepEqual(answers, [
    [1, false],
    [2, false],
    [3, false],
  ]);
  ask(run, 5);
  assert.equal(sent.length, 4, "a run that is over answers nothing");
});
