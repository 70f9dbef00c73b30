import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import {
  contextIn,
  type HookProcessOptions,
  type HookProject,
  hook,
  hookProcess,
  hookProject,
  inMemory,
} from "../../../test/support/hook.ts";
import { noMounts, readOnlyPlace, smallDisk } from "../../../test/support/mounts.ts";
import { makeCorpus } from "../../secrets/test-support/corpus.ts";
import { Retention } from "../../sessions/retention.ts";
import { findProject } from "../../workspace/project.ts";
import { type Failure, readFailures } from "../failures.ts";
import { readHookState } from "./state.ts";

const start = { hook_event_name: "SessionStart", source: "startup", session_id: "s1" };

async function withNotes(): Promise<HookProject> {
  const project = await hookProject();
  await inMemory(project, async (memory) => {
    await (await memory.openSession("claude-code.s1")).notepad.write("canary");
  });
  return project;
}

/** Runs the hook, which must exit with 0 and print at most one line; returns its output and what it logged for `doctor`. */
async function run(
  project: HookProject,
  input: unknown,
  options: { host?: string } & Omit<HookProcessOptions, "cwd"> = {},
): Promise<{ stdout: string; stderr: string; last: Failure | undefined }> {
  const { host = "claude-code", ...rest } = options;
  const text =
    typeof input === "string" || Buffer.isBuffer(input)
      ? input
      : JSON.stringify({ cwd: project.root, ...(input as object) });
  const { code, stdout, stderr } = await hookProcess(host, text, { cwd: project.root, ...rest });
  assert.equal(code, 0, stderr);
  assert.ok(stderr === "" || /^holdfast hook: [^\n]+\n$/.test(stderr), stderr);
  return { stdout, stderr, last: readFailures(project.directory)[0] };
}

test("[hooks.bad-input] malformed JSON, unknown events and hosts: exit code 0, one line, and an entry for doctor", async () => {
  const project = await withNotes();
  const cases: [input: unknown, host: string, expected: RegExp][] = [
    ['{"session_id":', "claude-code", /not JSON/],
    ["", "codex", /not JSON/],
    ["[1,2]", "codex", /not a JSON object/],
    [{ ...start, hook_event_name: "Unheard" }, "claude-code", /Unknown event "Unheard" from claude-code/],
    [{ ...start, session_id: 7 }, "codex", /no session_id/],
    [start, "emacs", /no hook for "emacs"/],
  ];
  for (const [input, host, expected] of cases) {
    const { stdout, stderr, last } = await run(project, input, { host });
    assert.match(stderr, expected);
    assert.match(last?.message ?? "", expected);
    assert.equal(last?.host, host);
    assert.equal(contextIn(stdout), "");
  }
  const { stdout } = await run(project, '{"session_id":', { host: "gemini" });
  assert.equal(stdout, "{}\n");
  assert.match(contextIn((await run(project, start)).stdout), /canary/);
});

test("[hooks.huge] an event of 100 MB is rejected without blocking the agent", async () => {
  const project = await withNotes();
  const prompt = JSON.stringify({
    ...start,
    hook_event_name: "UserPromptSubmit",
    cwd: project.root,
    prompt: "x".repeat(100_000_000),
  });
  const { stdout, last } = await run(project, prompt);
  assert.equal(stdout, "");
  assert.equal(last?.code, "over_limit");
  assert.match(contextIn((await run(project, start)).stdout), /canary/);
});

test("[hooks.deadline] does not wait for endless input or a lock that is never released", async () => {
  const project = await withNotes();
  const env = { HOLDFAST_HOOK_DEADLINE: "700" };
  const endless = await run(project, "endless", { env });
  assert.equal(endless.last?.code, "deadline");
  assert.match(endless.stderr, /The event could not be read within 700 ms/);
  const other = new DatabaseSync(project.database);
  try {
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    const locked = await run(project, start, { env: { HOLDFAST_HOOK_DEADLINE: "1500" } });
    // The wait for the lock ends before the deadline, so the failure names the store.
    assert.equal(locked.last?.code, "store_busy");
    assert.equal(locked.last?.event, "SessionStart");
    other.exec("ROLLBACK");
  } finally {
    other.close();
  }
  assert.match(contextIn((await run(project, start)).stdout), /canary/);
});

test("[hooks.deadline] the state for later events is written before old history is removed", async (context) => {
  const project = await withNotes();
  let seen: number | undefined;
  context.mock.method(Retention.prototype, "step", async () => {
    seen = readHookState(project.directory, "claude-code", "s1")?.seen;
    return true;
  });
  const { context: shown } = await hook(project, "claude-code", start);
  assert.match(shown, /canary/);
  assert.ok(seen !== undefined && seen > 0, `the state had seen ${seen}`);
});

test("[hooks.deadline] reads a database that another process writes to, and answers before its own write", async () => {
  const project = await withNotes();
  const env = { HOLDFAST_HOOK_DEADLINE: "9000", HOLDFAST_INTERACTIVE_LOCK_TIMEOUT: "300" };
  const other = new DatabaseSync(project.database);
  try {
    other.exec("BEGIN IMMEDIATE");
    const { stdout, last } = await run(project, { ...start, source: "compact" }, { env });
    assert.match(contextIn(stdout), /canary[\s\S]+\[Receipt: /);
    assert.equal(last?.code, "store_busy");
    other.exec("ROLLBACK");
  } finally {
    other.close();
  }
});

test("[locks.hooks] a compaction that a locked store kept from being shown or recorded is made up for, once", async () => {
  const project = await withNotes();
  const prompt = { ...start, hook_event_name: "UserPromptSubmit", prompt: "go on" };
  const env = { HOLDFAST_HOOK_DEADLINE: "7000", HOLDFAST_INTERACTIVE_LOCK_TIMEOUT: "50" };
  const receipts = () =>
    inMemory(project, async (memory) => {
      const history = await (await memory.resumeSession("claude-code.s1")).history();
      return history.filter(({ operation }) => operation.type === "context.receipt").length;
    });
  const locks = { shown: "BEGIN IMMEDIATE", unshown: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE" };
  for (const [name, statement] of Object.entries(locks)) {
    const before = await receipts();
    const other = new DatabaseSync(project.database);
    try {
      other.exec(statement);
      const { stdout, last } = await run(project, { ...start, source: "compact" }, { env });
      assert.equal(contextIn(stdout).includes("canary"), name === "shown");
      assert.equal(last?.code, "store_busy");
      other.exec("ROLLBACK");
    } finally {
      other.close();
    }
    assert.equal(await receipts(), before, name);
    const { stdout } = await run(project, prompt, { env });
    assert.equal(contextIn(stdout).includes("canary"), name === "unshown", stdout);
    assert.equal(await receipts(), before + 1, name);
    assert.equal(contextIn((await run(project, prompt, { env })).stdout), "");
    assert.equal(await receipts(), before + 1, name);
  }
});

test("[hooks.deadline] does not wait for a transcript that is a pipe", {
  skip: process.platform === "win32",
}, async () => {
  const project = await withNotes();
  const transcript_path = join(project.root, "pipe");
  execFileSync("mkfifo", [transcript_path]);
  const { stdout } = await run(project, { ...start, hook_event_name: "PreCompact", transcript_path });
  assert.match(stdout, /^The agent's notepad is kept outside the conversation/);
});

test("[secrets.stored] a hook stores the conversation without its secrets, and reports it", async () => {
  const project = await withNotes();
  const secret = makeCorpus(7).secrets[0]?.[1] ?? "";
  const transcript_path = join(project.root, "transcript.jsonl");
  const message = { role: "user", content: `Please deploy with ${secret} and never print it.` };
  writeFileSync(transcript_path, `${JSON.stringify({ type: "user", uuid: "u1", message })}\n`);
  const { stderr, last } = await run(project, {
    ...start,
    hook_event_name: "PreCompact",
    transcript_path,
  });
  assert.match(stderr, /Stored without a secret \(aws-access-key\)/);
  assert.equal(last?.code, "secret");
  const stored = await inMemory(project, async (memory) =>
    JSON.stringify(await (await memory.resumeSession("claude-code.s1")).history()),
  );
  assert.match(stored, /Please deploy with \[REDACTED/);
  assert.ok(!stored.includes(secret));
});

test("[hooks.special-files] pipes in place of files are refused at once, and large ones are not read", {
  skip: process.platform === "win32",
}, async () => {
  const paths = {
    store: "elsewhere.db",
    config: "holdfast.json",
    failures: "$directory/hook-failures.jsonl",
    notes: "grimoires/loa/NOTES.md",
    state: "$directory/links/state-claude-code.s1.json",
    alias: "$directory/links/session-claude-code.s1.json",
  };
  for (const [name, path] of Object.entries(paths)) {
    const project = await withNotes();
    const full = resolve(project.root, path.replace("$directory", project.directory));
    mkdirSync(dirname(full), { recursive: true });
    execFileSync("mkfifo", [full]);
    const env = { HOLDFAST_DB: name === "store" ? full : "" };
    const begun = performance.now();
    // Only a failure is written to the log of failures.
    const { last } = await run(project, name === "failures" ? "{" : start, { env });
    assert.notEqual(last?.code, "deadline", name);
    assert.ok(performance.now() - begun < 20_000, name);
  }
  const project = await withNotes();
  mkdirSync(join(project.root, "grimoires/loa"), { recursive: true });
  writeFileSync(join(project.root, "grimoires/loa/NOTES.md"), "x".repeat(9_000_000));
  const { stdout, stderr } = await run(project, start);
  assert.match(contextIn(stdout), /canary/);
  assert.match(stderr, /NOTES\.md has 9000000 bytes, and the limit is 500000\./);
});

test("[hooks.store] a store named on the command line or in the environment is used", async () => {
  const project = await withNotes();
  const elsewhere = await hookProject({ withMemory: false });
  const named: Omit<HookProcessOptions, "cwd">[] = [
    { args: ["--store", project.database] },
    { args: ["--db", project.database] },
    { args: [`--store=sqlite:${project.database}`] },
    { env: { HOLDFAST_DB: project.database } },
    { env: { HOLDFAST_STORE: `sqlite:${project.database}` } },
  ];
  for (const options of named)
    assert.match(contextIn((await run(elsewhere, start, options)).stdout), /canary/, JSON.stringify(options));
  assert.match((await run(elsewhere, start, { args: ["--nonsense"] })).stderr, /nonsense/);
});

test("[hooks.missing] reports a missing database, and creates it when there is something to write", async () => {
  const project = await hookProject({ withMemory: false });
  const { stdout, last } = await run(project, start);
  assert.match(contextIn(stdout), /\(empty — use write_notepad/);
  assert.equal(last, undefined, "a newcomer's first conversation is no failure");
  assert.ok(!existsSync(project.database));
  await run(project, { ...start, hook_event_name: "PreCompact" });
  assert.ok(existsSync(project.database));
  await run(project, { ...start, source: "compact" });
  rmSync(project.database);
  const lost = await run(project, { ...start, session_id: "another" });
  assert.match(lost.last?.message ?? "", /There is no database at .+memory\.db, although this project had/);
});

test("[hooks.missing] does not create a missing working directory", async () => {
  const project = await withNotes();
  const cwd = join(project.root, "..", `${Date.now()}-gone`, "deeper");
  const { last } = await run({ ...project, directory: findProject(cwd).directory }, { ...start, cwd });
  assert.equal(last, undefined);
  assert.ok(!existsSync(cwd));
});

test("[hooks.damaged] reports a damaged database and leaves it unchanged", async () => {
  const project = await withNotes();
  for (const suffix of ["-wal", "-shm"]) rmSync(`${project.database}${suffix}`, { force: true });
  const damaged = Buffer.alloc(8_192, "not a database ");
  writeFileSync(project.database, damaged);
  const { stdout, last } = await run(project, start);
  assert.equal(stdout, "");
  assert.match(last?.code ?? "", /^store_/);
  assert.deepEqual(readFileSync(project.database), damaged);
});

test("[hooks.read-only] shows memory in a read-only project and logs the failure elsewhere", {
  skip: noMounts(),
}, async () => {
  const project = await withNotes();
  const { stdout, last } = await run(project, start, { wrapper: readOnlyPlace(project.directory) });
  assert.match(contextIn(stdout), /canary/);
  assert.match(last?.message ?? "", /EROFS|read-only/i);
});

test("[hooks.read-only] a new conversation with a read-only store shows the pins, and that nothing can be saved", {
  skip: noMounts(),
}, async () => {
  const project = await withNotes();
  await inMemory(project, async (memory) => {
    await (await memory.project()).pins.pin("Never push to main.", { actor: { kind: "person" } });
  });
  const line = /\[Holdfast\] \S+memory\.db is read-only, so nothing can be saved\./;
  assert.doesNotMatch(contextIn((await run(project, { ...start, session_id: "s2" })).stdout), line);
  const wrapper = readOnlyPlace(project.directory);
  for (const source of ["startup", "clear", "compact"]) {
    const { stdout } = await run(project, { ...start, source, session_id: `new-${source}` }, { wrapper });
    assert.match(contextIn(stdout), /Never push to main\./, source);
    assert.match(contextIn(stdout), line, source);
  }
});

test("[hooks.full-disk] on a full disk the hook exits with 0 and reports it", {
  skip: noMounts(),
}, async () => {
  const project = await hookProject({ withMemory: false });
  mkdirSync(project.directory, { recursive: true });
  const wrapper = [
    ...smallDisk(project.directory, 16),
    "sh",
    "-c",
    `head -c 20000 /dev/zero > "${project.directory}/ballast" 2>/dev/null; exec "$@"`,
    "sh",
  ];
  const { stderr, last } = await run(project, { ...start, hook_event_name: "PreCompact" }, { wrapper });
  assert.match(stderr, /full|no space/i);
  assert.match(last?.message ?? "", /full|no space/i);
});

test("[hooks.config] reports an invalid setting and uses the default", async () => {
  const project = await withNotes();
  writeFileSync(join(project.root, "holdfast.json"), '{"hookDeadline": "soon", "nudgeAfterTurns": -1}');
  const { stdout, last } = await run(project, start);
  assert.match(contextIn(stdout), /canary/);
  assert.match(
    last?.message ?? "",
    /holdfast\.json:1: "(?:hookDeadline|nudgeAfterTurns)" must be a whole number/,
  );
});

test("[hooks.not-executed] metacharacters in every field are text", async () => {
  const project = await withNotes();
  const evil = `$(touch ${project.root}/pwned); \`touch ${project.root}/pwned\` && touch ${project.root}/pwned | ' " ../../x`;
  const fields = [
    "session_id",
    "source",
    "prompt",
    "transcript_path",
    "trigger",
    "compact_summary",
    "reason",
    "parent",
  ];
  const payload = Object.fromEntries(fields.map((name) => [name, evil]));
  for (const hook_event_name of ["SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact"])
    await run(project, { ...payload, hook_event_name });
  await run(project, { ...start, hook_event_name: evil });
  assert.ok(!existsSync(join(project.root, "pwned")));
});
