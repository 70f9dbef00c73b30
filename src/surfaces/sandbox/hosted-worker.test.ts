import assert from "node:assert/strict";
import { test } from "node:test";
import { HostedRun } from "./hosted-worker.ts";
import { defaultSandboxLimits, type SandboxLimits } from "./limits.ts";
import { sharedNow, type ToWorker } from "./protocol.ts";
import type { SandboxApi } from "./sandbox.ts";

const api: SandboxApi = { paths: ["session.notes.all"], call: async () => ({ value: "x".repeat(1_000) }) };

/** A run whose worker enforces no limits. */
function startRun(limits: Partial<SandboxLimits> = {}) {
  const sent: ToWorker[] = [];
  const run = new HostedRun(1, { code: "", api }, { ...defaultSandboxLimits, ...limits }, (message) =>
    sent.push(message),
  );
  run.start(false);
  const result = async () => {
    const answer = await run.conclude(await run.ended);
    return [!answer.ok && answer.limit, run.workerIsReusable];
  };
  return { run, sent, result };
}

const sendCall = (run: HostedRun, call: number, path = "session.notes.all", args = "[]") =>
  run.receive({ type: "call", run: 1, call, path, args });

test("the host ends a worker that does not stop, for every limit [sandbox.outside]", async () => {
  const running = startRun();
  running.run.enforceTimeLimits(Float64Array.of(sharedNow(), 0));
  running.run.enforceTimeLimits(Float64Array.of(sharedNow() - 10_000, 0));
  assert.deepEqual(await running.result(), ["cpu", false]);

  const summed = startRun();
  summed.run.enforceTimeLimits(Float64Array.of(0, 10_000));
  assert.deepEqual(await summed.result(), ["cpu", false]);

  const slow = startRun({ wallMilliseconds: -1_000 });
  slow.run.enforceTimeLimits(Float64Array.of(0, 0));
  assert.deepEqual(await slow.result(), ["wall", false]);

  const loud = startRun({ outputCharacters: 10 });
  loud.run.receive({ type: "log", run: 1, text: "x".repeat(30) });
  assert.deepEqual(await loud.result(), ["output", false]);

  const busy = startRun({ operations: 3 });
  for (let call = 1; call <= 4; call++) sendCall(busy.run, call);
  assert.deepEqual(await busy.result(), ["operations", false]);

  const greedy = startRun({ memoryBytes: 20_000 });
  for (let call = 1; call <= 30; call++) sendCall(greedy.run, call);
  assert.deepEqual(await greedy.result(), ["memory", false]);
});

test("calls outside the API, and malformed ones, are refused [sandbox.outside]", async () => {
  const { run, sent, result } = startRun();
  sendCall(run, 1, "session.apply");
  sendCall(run, 2, "constructor");
  sendCall(run, 3, "session.notes.all", "no JSON");
  run.receive({ type: "call", run: 99, call: 4, path: "session.notes.all", args: "[]" });
  run.receive({ type: "end", run: 1, end: { kind: "done", value: "1" }, retire: false });
  assert.deepEqual(await result(), [false, true]);
  const answers = sent.flatMap((message) => (message.type === "settle" ? [[message.call, message.ok]] : []));
  assert.deepEqual(answers, [
    [1, false],
    [2, false],
    [3, false],
  ]);
  sendCall(run, 5);
  assert.equal(sent.length, 4, "a finished run answers nothing");
});
