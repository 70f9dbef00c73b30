import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  contextIn,
  type HookProject,
  hookProcess,
  hookProject,
  inMemory,
  watch,
} from "../../../test/support/hook.ts";
import { hostNamed } from "../hosts.ts";

/** Milliseconds: with room for a busy machine to reach the place that hangs. */
const deadline = 4_000;
const slack = 6_000;

/** Where the hook hangs, in its main thread except for the last. `reach` leaves a file behind, so that a test knows that it was there. */
const places = {
  "a file": `if (isMainThread) onFiles((path) => path.includes(".holdfast") && reach());`,
  "the database": "if (isMainThread) onDatabase(reach);",
  "a file, after the answer": `
    let isAnswered = false;
    onWrite((descriptor) => { isAnswered ||= descriptor === 1; });
    onFiles((path) => isAnswered && path.includes(".holdfast") && reach());
    onDatabase(() => isAnswered && reach());`,
  "the database, in a thread": "if (!isMainThread) onDatabase(reach);",
};

/** Loaded before the hook's own code. */
function planted(place: keyof typeof places, reached: string, hang: string): string {
  return `
    const fs = process.getBuiltinModule("node:fs");
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const { existsSync, writeFileSync, readFileSync } = fs;
    const wrap = (object, name, before) => {
      const real = object[name];
      object[name] = function (...args) { before(...args); return Reflect.apply(real, this, args); };
    };
    const reach = () => {
      if (existsSync(${JSON.stringify(reached)})) return;
      writeFileSync(${JSON.stringify(reached)}, "");
      ${hang}
    };
    const onFiles = (before) => {
      for (const name of ["existsSync", "lstatSync", "statSync", "openSync", "readFileSync", "readdirSync", "mkdirSync"])
        wrap(fs, name, (path) => before(String(path)));
    };
    const onDatabase = (before) => wrap(DatabaseSync.prototype, "prepare", before);
    const onWrite = (after) => {
      const real = fs.writeSync;
      fs.writeSync = (...args) => { const written = real(...args); after(...args); return written; };
    };
    const { isMainThread } = process.getBuiltinModule("node:worker_threads");
    ${places[place]}
    process.getBuiltinModule("node:module").syncBuiltinESMExports();
  `;
}

interface Case {
  host: string;
  event: string;
  place: keyof typeof places;
  hang: string;
}

async function run(project: HookProject, { host, event, place, hang }: Case, env: Record<string, string>) {
  const name = `${host}-${event}-${place}`.replaceAll(/\W/g, "-");
  const [script, reached] = [join(project.root, `${name}.cjs`), join(project.root, `${name}.reached`)];
  writeFileSync(script, planted(place, reached, hang));
  const input = {
    hook_event_name: event,
    session_id: "s1",
    cwd: project.root,
    source: "startup",
    prompt: "go on",
    tool_name: "Bash",
    tool_input: { command: "ls" },
  };
  const begun = performance.now();
  const outcome = await hookProcess(host, JSON.stringify(input), {
    cwd: project.root,
    env: { NODE_OPTIONS: `--require ${script}`, ...env },
  });
  const took = performance.now() - begun;
  assert.equal(outcome.code, 0, `${name}: ${outcome.stderr}`);
  assert.ok(existsSync(reached), `${name} did not reach the place that hangs: ${outcome.stderr}`);
  return { ...outcome, name, took };
}

async function withMemory(): Promise<HookProject> {
  const project = await hookProject();
  await inMemory(project, async (memory) => {
    await (await memory.openSession("claude-code.s1")).notepad.write("canary");
  });
  return project;
}

test("a main thread that hangs in a read or a loop: the host has a valid answer at the deadline, for every event [hooks.watch]", {
  skip: process.platform === "win32",
}, async () => {
  const project = await withMemory();
  const pipe = join(project.root, "pipe");
  execFileSync("mkfifo", [pipe]);
  const call = `readFileSync(${JSON.stringify(pipe)});`;
  const loop = "for (;;);";
  const cases: Case[] = [
    ...Object.keys(hostNamed("claude-code").events).map(
      (event): Case => ({ host: "claude-code", event, place: "a file", hang: call }),
    ),
    { host: "gemini", event: "AfterTool", place: "a file", hang: call },
    { host: "claude-code", event: "SessionStart", place: "the database", hang: call },
    { host: "gemini", event: "BeforeAgent", place: "the database", hang: loop },
  ];
  const env = { HOLDFAST_HOOK_DEADLINE: String(deadline) };
  for (const { name, stdout, stderr, took } of await Promise.all(
    cases.map((each) => run(project, each, env)),
  )) {
    assert.equal(stdout, "{}\n", name);
    assert.match(stderr, /^holdfast hook: It hung for 4000 ms\. .+ The agent continues without it\.$/m, name);
    assert.ok(took < deadline + slack, `${name} took ${took} ms`);
  }
});

test("a hook that hangs after its answer gives that answer only; a longer deadline in a config file is kept [hooks.watch]", {
  skip: process.platform === "win32",
}, async () => {
  const hang = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";
  const start = { host: "claude-code", event: "SessionStart" };
  const after = run(
    await withMemory(),
    { ...start, place: "a file, after the answer", hang },
    { HOLDFAST_HOOK_DEADLINE: String(deadline) },
  );
  // The watch would end it after two and a half seconds.
  const patient = await withMemory();
  writeFileSync(join(patient.directory, "config.json"), '{"hookDeadline": 50000}');
  const slow = run(
    patient,
    { ...start, place: "the database, in a thread", hang: hang.replace("0, 0)", "0, 0, 2_600)") },
    { HOLDFAST_HOOK_DEADLINE: "" },
  );
  for (const { stdout, name } of await Promise.all([after, slow])) {
    assert.equal(stdout.trimEnd().split("\n").length, 1, name);
    assert.match(contextIn(stdout), /canary/, name);
  }
});

test("the watch passes on what a program reads, writes and ends with, and needs no stdin [hooks.watch]", {
  skip: process.platform === "win32",
}, () => {
  const [, script = ""] = watch;
  const shells = ["/bin/sh", "/bin/bash", "/bin/dash"].filter((shell) => existsSync(shell));
  const run = (line: string, env: Record<string, string> = {}) => {
    const ends = shells.map((shell) => {
      const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line, shell, script], {
        input: "given",
        encoding: "utf8",
        env: { ...process.env, ...env },
      });
      return [status, stdout, stderr];
    });
    for (const end of ends) assert.deepEqual(end, ends[0], line);
    return ends[0];
  };
  assert.deepEqual(run('"$0" "$1" cat'), [0, "given", ""]);
  assert.deepEqual(run('"$0" "$1" cat <&-'), [0, "", ""]);
  assert.deepEqual(run('"$0" "$1" sh -c "echo no >&2; exit 3"'), [3, "", "no\n"]);
  // Programs that end at once, before the timer has started: a signal to it must not be lost.
  const often = 'i=0; while [ $i -lt 25 ]; do "$0" "$1" true || exit 1; i=$((i + 1)); done';
  assert.deepEqual(run(often), [0, "", ""]);
  const told =
    "holdfast hook: It hung for 50 ms. Check the disk of this project. The agent continues without it.\n";
  const env = { HOLDFAST_HOOK_DEADLINE: "50" };
  assert.deepEqual(run('"$0" "$1" sleep 20', env), [0, "{}\n", told]);
  // "Killed", as some shells say on their own, is not ours.
  assert.deepEqual(run(`{ "$0" "$1" sh -c 'kill -9 $$'; } 2>/dev/null`), [0, "{}\n", ""]);
});
