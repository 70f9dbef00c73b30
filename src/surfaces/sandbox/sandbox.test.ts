import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { answer, openTestSession, refusal, rejection } from "../../../test/support/memory.ts";
import type { MemoryOptions } from "../../index.ts";
import { createSandbox, type SandboxSurfaceOptions, sandboxSurface } from "./index.ts";

// Generous limits, so that a busy machine does not fail tests that are not about limits.
const sandbox = createSandbox({
  workers: 3,
  limits: { cpuMilliseconds: 60_000, wallMilliseconds: 120_000 },
});

const openSandboxed = (options: SandboxSurfaceOptions = {}, more: Partial<MemoryOptions> = {}) =>
  openTestSession({
    surfaces: ["notepad", "notes", "scratchpad", "knowledge", sandboxSurface({ sandbox, ...options })],
    ...more,
  });

test("a program takes input and returns JSON, in TypeScript or JavaScript [sandbox.run]", async () => {
  const session = await openSandboxed();
  const run = async (code: string, input?: unknown) =>
    (await answer(session, "run_sandbox_code", { code, ...(input === undefined ? {} : { input }) })).value;
  assert.equal(await run("const x: number = input.a as number;\nreturn x + 1", { a: 1 }), 2);
  assert.deepEqual(await run("return { input, at: await Promise.all([1, 2].map(async (x) => x)) }"), {
    input: null,
    at: [1, 2],
  });
  assert.equal(await run("40 + 2"), 42);
  assert.equal(await run("async (input) => input.n * 2", { n: 4 }), 8);
  assert.equal(
    await run(
      "const two = 2;\nexport default async function (input: { n: number }) { return input.n * two }",
      { n: 5 },
    ),
    10,
  );
  assert.equal(await run("await 1; // nothing comes back"), null);
  assert.deepEqual(await run('return { "__proto__x": 1, text: "\\u{1f600}\\u0000" }'), {
    __proto__x: 1,
    text: "\u{1f600}\u0000",
  });
});

test("any value can be logged, and logging never throws [sandbox.output]", async () => {
  const session = await openSandboxed();
  const code = `const gone = Proxy.revocable({}, {}); gone.revoke();
console.log(NaN, -Infinity, undefined, null, 12n, Symbol("s"), "text", [1], { a: 1 }, new Error("no"));
console.log(gone.proxy); console.log({ get a() { throw 1 } }); console.log({ toJSON() {} });`;
  assert.deepEqual((await answer(session, "run_sandbox_code", { code })).logs.split("\n"), [
    'NaN -Infinity undefined null 12 Symbol(s) text [1] {"a":1} Error: no',
    "[value that cannot be displayed]",
    "[value that cannot be displayed]",
    "undefined",
  ]);
});

test("a program that does not compile or throws gets the line and the reason [sandbox.errors]", async () => {
  const session = await openSandboxed();
  const run = (code: string) => refusal(session, "run_sandbox_code", { code });
  const syntax = await run("const a = 1;\nconst b = ;");
  assert.deepEqual([syntax.code, syntax.data.line], ["invalid_input", 2]);
  assert.match(syntax.text, /^Line 2: /);
  assert.match((await run("enum Colour { Red }")).text, /no enums/);
  const thrown = await run('console.log("so far");\n\nthrow new TypeError("no such sheet")');
  assert.deepEqual([thrown.code, thrown.data.line], ["program_failed", 3]);
  assert.equal(
    thrown.text,
    "Line 3: TypeError: no such sheet. Everything it did until then remains.\n\nLog:\nso far",
  );
  assert.match(
    (await run("return fetch('http://example.org')")).text,
    /fetch is not defined\. There is no network/,
  );
  const refused = await run("await 1;\nawait session.notepad.append(5)");
  assert.match(refused.text, /^Line 2: Error: "content" must be a string/);
});

test("programs use notepad, notes, scratchpad, scratch and state; the journal attributes every call to them [sandbox.api]", async () => {
  const session = await openSandboxed();
  const code = `
    await session.notepad.write("one");
    await session.notepad.append("two");
    const note = await session.notes.add("a finding", ["sheet"]);
    await session.notes.update(note.id, { content: "a better finding", type: "session.status" });
    await session.scratchpad.setPlan("1. look");
    await session.scratch.set("row", { at: 3 });
    const { version } = await state.set("deploy/last", "today");
    const refused = await state.set("deploy/last", "tomorrow", { expected: version + 5 }).catch((e) => e.code);
    return {
      text: await session.notepad.read(),
      found: (await session.notes.search({ query: "better" })).notes.map((each) => each.tags),
      plan: (await session.scratchpad.read()).plan,
      row: await session.scratch.get("row"),
      none: (await session.scratch.get("nothing")) === undefined,
      keys: (await state.list({ prefix: "deploy/" })).keys.map((each) => each.key),
      refused,
    };`;
  const { value } = await answer(session, "run_sandbox_code", { code });
  assert.deepEqual(value, {
    text: "one\ntwo",
    found: [["sheet"]],
    plan: "1. look",
    row: { at: 3 },
    none: true,
    keys: ["deploy/last"],
    refused: "conflict",
  });
  assert.equal(await session.notepad.read(), "one\ntwo");
  const entries = await session.history({ from: 2, newestFirst: false });
  assert.deepEqual(
    entries.map(({ operation }) => operation.type),
    ["notepad.write", "notepad.append", "notes.add", "notes.update", "scratchpad.set_plan", "state.set"],
  );
  for (const entry of entries) {
    assert.deepEqual(entry.actor, { kind: "agent", name: "run_sandbox_code" });
    assert.equal(entry.surface, "sandbox");
  }
  const [kept] = await (await session.knowledge()).session.history();
  assert.deepEqual([kept?.actor.name, kept?.surface], ["run_sandbox_code", "sandbox"]);
});

test("the program and the agent see what a budget truncates or refuses [sandbox.budget]", async () => {
  const session = await openSandboxed({}, { limits: { notepadCharacters: 20, spaceNotesCharacters: 10 } });
  const refused = await refusal(session, "run_sandbox_code", {
    code: 'await session.notepad.write("x".repeat(21))',
  });
  assert.match(refused.text, /over_limit|at most 20|limit/);
  const cut = await answer(session, "run_sandbox_code", {
    code: 'await session.scratchpad.setNotes("y".repeat(50))',
  });
  assert.match(cut.logs, /^session\.scratchpad\.setNotes: /);
});

test("concurrent calls in one program, and concurrent programs, lose nothing [sandbox.parallel]", async () => {
  const session = await openSandboxed();
  const code = "await Promise.all([...Array(20).keys()].map((i) => session.notepad.append(input + ':' + i)))";
  await Promise.all(
    ["a", "b", "c", "d"].map((input) => answer(session, "run_sandbox_code", { code, input })),
  );
  const lines = (await session.notepad.read()).split("\n");
  assert.deepEqual(
    lines.toSorted(),
    ["a", "b", "c", "d"].flatMap((name) => Array.from({ length: 20 }, (_, i) => `${name}:${i}`)).toSorted(),
  );
});

test("a call that is not awaited still completes before the program ends [sandbox.parallel]", async () => {
  const session = await openSandboxed();
  await answer(session, "run_sandbox_code", { code: 'session.notepad.append("late"); return 1' });
  assert.equal(await session.notepad.read(), "late");
  const unhandled = await answer(session, "run_sandbox_code", {
    code: "session.notepad.append(5); return 1",
  });
  assert.deepEqual([unhandled.value, unhandled.logs?.slice(0, 13)], [1, "A call failed"]);
  const handled = await answer(session, "run_sandbox_code", {
    code: "try { await session.notepad.append(5) } catch {} return session.notepad.append(5).catch(() => 2)",
  });
  assert.deepEqual(handled, { value: 2 });
});

test("a program leaves nothing behind for the next [sandbox.isolation]", async () => {
  const alone = createSandbox({ workers: 1 });
  const leave = "globalThis.left = 1; Array.prototype.left = 1; Math.left = 1; return Math.random()";
  const look = "return [typeof left, [].left ?? null, Math.left ?? null, Object.keys(globalThis)]";
  const seen = new Set<unknown>();
  for (let round = 0; round < 5; round++) {
    const left = await alone.run({ code: leave });
    assert.ok(left.ok, JSON.stringify(left));
    seen.add(left.value);
    assert.deepEqual(await alone.run({ code: look }), {
      ok: true,
      value: ["undefined", null, null, ["performance"]],
      logs: "",
    });
  }
  assert.equal(seen.size, 5, "Math.random differs between runs");
  await alone.close();
});

test("the same call with the same key changes nothing the second time [sandbox.key]", async () => {
  const session = await openSandboxed();
  const call = () =>
    session.call(
      "run_sandbox_code",
      { code: 'await session.notepad.append("once"); await session.notes.add("note")' },
      { key: "call-1" },
    );
  assert.ok((await call()).ok && (await call()).ok);
  assert.equal(await session.notepad.read(), "once");
  assert.equal((await session.notes.all()).length, 1);
});

test("long logs and values are cut, and the rest can be read [sandbox.output]", async () => {
  const session = await openSandboxed();
  const { logs, value, cut } = await answer(session, "run_sandbox_code", {
    code: 'for (let i = 0; i < 3000; i++) console.log("line 😀", i, { i }); return "v".repeat(9000)',
  });
  assert.ok(cut && value.startsWith('"vvv'));
  let text = logs;
  let whole = "";
  for (;;) {
    const next = text.match(
      /^([\s\S]*)\n\[Characters \d+ to \d+ of \d+\. For the rest call read_output with id "(\w+)" and offset (\d+)/,
    );
    if (!next) break;
    whole += next[1];
    text = (await answer(session, "read_output", { id: next[2], offset: Number(next[3]) })).content;
  }
  whole += text;
  assert.equal(whole, Array.from({ length: 3000 }, (_, i) => `line 😀 ${i} {"i":${i}}`).join("\n"));
  assert.match((await refusal(session, "read_output", { id: "out_999" })).text, /Run the program again/);
});

test("only allowed host tools can be called, with checked input [sandbox.host-tools]", async () => {
  const session = await openSandboxed({
    hostTools: {
      add: {
        description: "Adds two numbers",
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        execute: ({ a, b }: { a: number; b: number }) => a + b,
      },
    },
  });
  const run = (code: string) => answer(session, "run_sandbox_code", { code });
  assert.equal((await run("return tools.add({ a: 1, b: 2 })")).value, 3);
  assert.deepEqual(
    (await run('return tools.add({ a: "1" }).catch((e) => [e.code, e.message.slice(0, 9)])')).value,
    ["invalid_input", "tools.add"],
  );
  assert.deepEqual((await run("return Object.keys(tools)")).value, ["add"]);
  assert.match((await session.context()).guidance, /tools\.add\(input\): Adds two numbers/);
  assert.throws(
    () => sandboxSurface({ sandbox, hostTools: { "a.b": { execute: () => 1 } } }),
    /not a valid name/,
  );
});

test("anything a host tool throws or returns becomes an error in the program and does not crash the process [sandbox.host-tools]", async () => {
  const trapped = Object.defineProperty(new Error(), "message", {
    get() {
      throw new Error("a trap");
    },
  });
  const failing = (error: unknown) => ({ execute: () => Promise.reject(error) });
  const session = await openSandboxed({
    hostTools: {
      bare: failing(Object.create(null)),
      trap: failing(trapped),
      nothing: failing(null),
      big: { execute: () => 1n },
    },
  });
  const code = `const messages = [];
for (const name of Object.keys(tools)) messages.push(await tools[name]({}).catch((e) => e.message));
return messages;`;
  assert.deepEqual((await answer(session, "run_sandbox_code", { code })).value, [
    "It failed with an error that cannot be displayed.",
    "It failed with an error that cannot be displayed.",
    "null",
    "Do not know how to serialize a BigInt",
  ]);
});

test("a killed tool's appends stay in the notepad, and nothing follows them [sandbox.killed]", async () => {
  const session = await openSandboxed({ limits: { cpuMilliseconds: 1_500 } });
  await answer(session, "create_tool", {
    name: "survey",
    description: "Surveys the sheets",
    schema: { type: "object", properties: { sheets: { type: "integer" } } },
    code: `for (let sheet = 1; sheet <= input.sheets; sheet++) {
      await session.notepad.append("- sheet " + sheet + " done");
      if (sheet === 3) for (;;) "x".repeat(4e6).replaceAll("x", "yy");
    }`,
  });
  const killed = await session.call("survey", { sheets: 10 });
  assert.ok(!killed.ok);
  assert.equal(killed.code, "over_limit");
  assert.match(killed.text, /Everything it did until then remains/);
  assert.equal(await session.notepad.read(), "- sheet 1 done\n- sheet 2 done\n- sheet 3 done");
  const [newest] = await session.history();
  assert.deepEqual(newest?.actor, { kind: "agent", name: "survey" });
  assert.equal((await answer(session, "survey", { sheets: 1 })).value, null);
});

test("the queued calls of a killed program never run [sandbox.killed]", async () => {
  const session = await openSandboxed({ limits: { cpuMilliseconds: 500 } });
  const code = "for (let i = 0; i < 500; i++) session.notepad.append('line ' + i); for (;;) {}";
  const killed = await session.call("run_sandbox_code", { code });
  assert.ok(!killed.ok);
  const { revision } = (await session.state()).row;
  const lines = (await session.notepad.read()).split("\n");
  assert.deepEqual(
    lines,
    Array.from(lines, (_, i) => `line ${i}`),
  );
  await answer(session, "run_sandbox_code", { code: "1" });
  assert.equal((await session.state()).row.revision, revision, "nothing happens after the answer");
});

test("an aborted program ends; a closed sandbox reports it [sandbox.abort]", async () => {
  const own = createSandbox({ workers: 1 });
  const stop = new AbortController();
  const api = {
    paths: ["tools.wait"],
    call: async () => {
      stop.abort();
      return new Promise<never>(() => undefined);
    },
  };
  const aborted = await own.run({ code: "await tools.wait()", api, signal: stop.signal });
  assert.equal(!aborted.ok && aborted.code, "aborted");
  assert.ok((await own.run({ code: "1" })).ok);
  const later = new AbortController();
  const blocked = own.run({ code: "await tools.wait()", api: { ...api, call: async () => ({ value: 1 }) } });
  const queued = own.run({ code: "1", signal: later.signal });
  later.abort();
  assert.ok((await blocked).ok);
  const never = await queued;
  assert.equal(!never.ok && never.code, "aborted");
  const running = own.run({ code: "await tools.wait()", api });
  const waiting = own.run({ code: "1" });
  await own.close();
  for (const result of [await running, await waiting, await own.run({ code: "1" })])
    assert.equal(!result.ok && result.code, "closed");
});

test("limits are checked, and a run can only lower them [sandbox.limits]", async () => {
  assert.throws(() => createSandbox({ limits: { memory: 1 } as object }), /no sandbox limit called "memory"/);
  assert.throws(() => createSandbox({ limits: { stackBytes: 1 } }), /"stackBytes" must be/);
  assert.throws(() => createSandbox({ workers: 0 }), /"workers"/);
  const wrong = await sandbox.run({ code: 5 as never });
  assert.match(wrong.ok ? "" : wrong.message, /"code" must be a string/);
  await rejection(sandbox.run({ code: "1", input: 1n as never }), "invalid_input");
  await rejection(sandbox.run({ code: "1", limits: { operations: Number.NaN } }), "invalid_input");
  const large = await sandbox.run({ code: "1", input: "x".repeat(9_000_000) });
  assert.equal(!large.ok && large.limit, "memory");
  const ended = await sandbox.run({
    code: "for (;;) {}",
    limits: { cpuMilliseconds: 20, operations: 10 ** 6 },
  });
  assert.ok(!ended.ok);
  assert.deepEqual([ended.code, ended.limit], ["limit_reached", "cpu"]);
  assert.match(ended.message, /more than 20 ms/);
  const small = { memoryBytes: 8 * 1024 * 1024, stackBytes: 32 * 1024 };
  const code =
    "const depth = (n) => (n === 0 ? 0 : 1 + depth(n - 1)); return [new Uint8Array(12e6).length, depth(300)]";
  const tight = await sandbox.run({ code, limits: small });
  assert.equal(!tight.ok && tight.limit, "memory");
  const shallow = await sandbox.run({ code: code.replace("12e6", "1"), limits: small });
  assert.equal(!shallow.ok && shallow.limit, "stack");
  assert.deepEqual(await sandbox.run({ code }), { ok: true, value: [12_000_000, 300], logs: "" });
});
