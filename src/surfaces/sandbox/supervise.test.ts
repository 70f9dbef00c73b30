import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { defaultSandboxLimits, type SandboxLimits } from "./limits.ts";
import type { SandboxApi, SandboxResult } from "./sandbox.ts";
import { Supervisor } from "./supervise.ts";

const prelude = `const { parentPort: port, workerData: cpuDeadline } = require("node:worker_threads");
const send = (message) => port.postMessage(message);
const call = (call, path = "session.notes.all", args = "[]") => send({ type: "call", call, path, args });
const end = (value) => send({ type: "end", end: { kind: "done", value } });
setInterval(() => undefined, 1_000);
`;

/** Supervises a worker that runs this code instead of the sandbox's, and enforces no limits. */
function supervise(code: string, limits: Partial<SandboxLimits> = {}) {
  const called: string[] = [];
  const api: SandboxApi = {
    paths: ["session.notes.all"],
    async call(path) {
      called.push(path);
      return { value: "x".repeat(1_000) };
    },
  };
  const cpuDeadline = new Float64Array(new SharedArrayBuffer(8));
  const worker = new Worker(`${prelude}${code}`, { eval: true, workerData: cpuDeadline });
  const supervisor = new Supervisor(worker, { code: "", api }, { ...defaultSandboxLimits, ...limits });
  return { called, result: supervisor.result(cpuDeadline, new AbortController().signal) };
}

const limitOf = (result: SandboxResult) => (result.ok ? undefined : result.limit);

test("the host ends a worker that does not stop, for every limit [sandbox.outside]", async () => {
  const programs: [limit: string, code: string, limits: Partial<SandboxLimits>][] = [
    ["cpu", "cpuDeadline[0] = Number(process.hrtime.bigint()) / 1e6; for (;;) {}", {}],
    ["wall", "", { wallMilliseconds: 100 }],
    ["output", `send({ type: "log", text: "x".repeat(30) })`, { outputCharacters: 10 }],
    ["output", `end(JSON.stringify("x".repeat(30)))`, { outputCharacters: 10 }],
    ["operations", "for (let number = 1; number <= 4; number++) call(number)", { operations: 3 }],
    ["memory", "for (let number = 1; number <= 30; number++) call(number)", { memoryBytes: 20_000 }],
  ];
  for (const [limit, code, limits] of programs)
    assert.equal(limitOf(await supervise(code, limits).result), limit, code);
});

test("calls outside the API, malformed ones and late ones are refused [sandbox.outside]", async () => {
  const forged = supervise(`const answers = [];
port.on("message", ({ call: number, ok }) => {
  answers.push([number, ok]);
  if (answers.length === 3) { end(JSON.stringify(answers)); call(4); }
});
call(1, "session.apply"); call(2, "constructor"); call(3, "session.notes.all", "not JSON");`);
  assert.deepEqual(await forged.result, {
    ok: true,
    value: [
      [1, false],
      [2, false],
      [3, false],
    ],
    logs: "",
  });
  const late = supervise(`end("1"); call(1)`);
  assert.ok((await late.result).ok);
  assert.deepEqual([...forged.called, ...late.called], []);
});

test("a worker that breaks is reported, and what it logged remains [sandbox.outside]", async () => {
  const thrown = await supervise(`send({ type: "log", text: "so far" }); throw new Error("no such thing")`)
    .result;
  assert.ok(!thrown.ok);
  assert.deepEqual([thrown.code, thrown.logs], ["program_failed", "so far"]);
  assert.match(thrown.message, /could not be run: no such thing\. Try again/);
  const ended = await supervise("process.exit()").result;
  assert.match(ended.ok ? "" : ended.message, /its worker ended/);
});
