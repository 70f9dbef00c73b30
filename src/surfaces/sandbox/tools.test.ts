import assert from "node:assert/strict";
import { after, test } from "node:test";
import { answer, openTestSession, refusal } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { createSandbox, sandboxSurface } from "./index.ts";

// Generous limits, so that a busy machine does not fail the tests.
const sandbox = createSandbox({
  workers: 1,
  limits: { cpuMilliseconds: 60_000, wallMilliseconds: 120_000 },
});
after(() => sandbox.close());

const openSandboxed = () =>
  openTestSession({
    surfaces: ["notepad", "notes", "scratchpad", "knowledge", sandboxSurface({ sandbox })],
  });

const doubler = {
  name: "double",
  description: "Doubles a number",
  schema: {
    type: "object",
    properties: { n: { type: "number" } },
    required: ["n"],
    additionalProperties: false,
  },
  code: "return input.n * 2",
};

test("the agent's own tools are called like any other, in every session of the agent [sandbox.tools]", async () => {
  const store = `${temporaryDirectory()}/memory.db`;
  const surfaces = () => ["notepad" as const, sandboxSurface({ sandbox })];
  const memory = await openMemory({ store, surfaces: surfaces() });
  const session = await memory.createSession({ id: "one" });
  const created = await answer(session, "create_tool", doubler);
  assert.deepEqual([created.name, created.version], ["double", 1]);
  assert.equal((await answer(session, "double", { n: 4 })).value, 8);
  assert.match((await refusal(session, "double", { n: "4" })).text, /"n" must be a number/);
  assert.match((await refusal(session, "double", {})).text, /"n" is missing/);
  const described = (await session.tools()).find(({ name }) => name === "double");
  assert.deepEqual([described?.surface, described?.description], ["sandbox", "Doubles a number"]);
  assert.deepEqual(described?.inputSchema.required, ["n"]);
  assert.match((await session.context()).system, /## Your Tools\n- double: Doubles a number/);
  const second = await answer(session, "create_tool", { ...doubler, code: "return input.n * 4" });
  assert.equal(second.version, 2);
  assert.equal((await answer(session, "double", { n: 4 })).value, 16);
  await memory.close();

  const again = await openMemory({ store, surfaces: surfaces() });
  const other = await again.createSession({ id: "two" });
  assert.equal((await answer(other, "double", { n: 1 })).value, 4, "without listing the tools first");
  const stranger = await again.createSession({ id: "three", agent: "another-agent" });
  assert.equal((await refusal(stranger, "double", { n: 1 })).code, "unknown_tool");
  assert.deepEqual((await answer(other, "list_tools")).tools, [
    { name: "double", description: "Doubles a number", version: 2 },
  ]);
  assert.equal((await answer(other, "list_tools", { name: "double" })).tools[0].code, "return input.n * 4");
  await answer(other, "delete_tool", { name: "double" });
  assert.equal((await refusal(other, "double", { n: 1 })).code, "unknown_tool");
  assert.deepEqual((await answer(other, "list_tools")).tools, []);
  await again.close();
});

test("two owners who share a surface have separate tools, even with the same name [sandbox.tools]", async () => {
  const surfaces = ["notepad" as const, sandboxSurface({ sandbox })];
  const [ours, theirs] = await Promise.all(
    ["ours", "theirs"].map(async (owner) =>
      (await openMemory({ store: "memory:", surfaces, owner })).createSession(),
    ),
  );
  assert.ok(ours && theirs);
  await answer(ours, "create_tool", doubler);
  const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  await answer(theirs, "create_tool", { ...doubler, schema, code: "return input.text" });
  await ours.tools();
  assert.equal((await answer(theirs, "double", { text: "mine" })).value, "mine");
  assert.equal((await answer(ours, "double", { n: 2 })).value, 4);
});

test("a call that no longer fits a tool saved by another process shows the newest schema [sandbox.tools]", async () => {
  const store = `${temporaryDirectory()}/memory.db`;
  const open = () => openMemory({ store, surfaces: ["notepad", sandboxSurface({ sandbox })] });
  const [here, there] = [await open(), await open()];
  const session = await here.createSession();
  await answer(session, "create_tool", doubler);
  const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  await answer(await there.createSession(), "create_tool", { ...doubler, schema, code: "return input.text" });
  const refused = await refusal(session, "double", { n: 2 });
  assert.equal(refused.code, "invalid_input");
  assert.match(refused.text, /"text" is missing\. It was not run\. Version 2 has another schema: \{"type"/);
  assert.equal((await answer(session, "double", { text: "new" })).value, "new");
  await Promise.all([here.close(), there.close()]);
});

test("a surface's tool takes precedence over an authored one of the same name [sandbox.tools]", async () => {
  const store = `${temporaryDirectory()}/memory.db`;
  const before = await openMemory({ store, surfaces: ["notepad", sandboxSurface({ sandbox })] });
  await answer(await before.createSession(), "create_tool", { ...doubler, name: "add_note" });
  await before.close();
  const after = await openMemory({ store, surfaces: ["notes", sandboxSurface({ sandbox })] });
  const session = await after.createSession();
  const named = (await session.tools()).filter(({ name }) => name === "add_note");
  assert.deepEqual(
    named.map(({ surface }) => surface),
    ["notes"],
  );
  await answer(session, "add_note", { content: "a note" });
  assert.equal((await session.notes.all()).length, 1);
  await answer(session, "delete_tool", { name: "add_note" });
  await after.close();
});

test("input is checked against all of a tool's schema [sandbox.tools]", async () => {
  const session = await openSandboxed();
  const schema = {
    type: "object",
    properties: {
      a: { type: "integer", minimum: 3 },
      b: { type: "object", properties: { c: { type: "number" } }, required: ["c"] },
    },
  };
  await answer(session, "create_tool", { ...doubler, name: "strict", schema, code: "return input" });
  assert.match(
    (await refusal(session, "strict", { a: 1 })).text,
    /strict: "a" must be at least 3 \(got 1\)\. It was not run/,
  );
  assert.match((await refusal(session, "strict", { b: {} })).text, /the parameter "b\.c" is missing/);
  const input = { a: 3, b: { c: 1 } };
  assert.deepEqual((await answer(session, "strict", input)).value, input);
});

test("a tool with a bad name, schema or code is refused, and nothing is saved [sandbox.create-tool]", async () => {
  const session = await openSandboxed();
  const refuse = async (change: object) =>
    (await refusal(session, "create_tool", { ...doubler, ...change })).text;
  assert.match(await refuse({ name: "has space" }), /not a valid name for a tool/);
  assert.match(await refuse({ name: "read_notepad" }), /already a tool called "read_notepad"/);
  assert.match(await refuse({ name: "session_scratchpad" }), /already a tool/);
  assert.match(await refuse({ name: "create_tool" }), /already a tool/);
  assert.match(await refuse({ code: "return (" }), /does not compile\. Line \d/);
  for (const [schema, problem] of [
    [{ type: "string" }, /"type" must be "object"/],
    [{ type: "object", properties: { a: { type: "nope" } } }, /nope/],
    [
      { type: "object", properties: { a: { type: "string", pattern: "(a+)+$" } } },
      /"pattern" is not supported at properties\.a/,
    ],
    [{ type: "object", properties: 3 }, /"properties" must be an object/],
    [
      { type: "object", properties: { a: { minLength: "3" } } },
      /"minLength" must be a number at properties\.a/,
    ],
    [
      { type: "object", properties: { a: { minimum: 3 } } },
      /"minimum" needs a "type" next to it at properties\.a/,
    ],
    [{ type: "object", properties: { a: { const: [0] } } }, /"enum" and "const" take texts/],
    [{ type: "object", required: "a" }, /"required" must be an array/],
    [{ type: "object", properties: {}, required: ["a"] }, /"a", which is not in "properties"/],
    [{ type: "object", $ref: "#" }, /"\$ref" is not supported/],
    [{ type: "object", description: "x".repeat(20_000) }, /the limit is 16000/],
    [
      {
        type: "object",
        properties: {
          a: Array(12)
            .fill(0)
            .reduce((inner) => ({ type: "array", items: inner }), {}),
        },
      },
      /levels deep/,
    ],
  ] as const)
    assert.match(await refuse({ schema }), problem);
  assert.deepEqual((await answer(session, "list_tools")).tools, []);
});

test("creating or deleting a tool twice with the same key happens once [sandbox.key]", async () => {
  const session = await openSandboxed();
  for (const [tool, input] of [
    ["create_tool", doubler],
    ["delete_tool", { name: doubler.name }],
  ] as const) {
    const first = await session.call(tool, input, { key: tool });
    assert.ok(first.ok);
    assert.deepEqual(await session.call(tool, input, { key: tool }), first);
  }
});

test("a tool's program gets its schema's defaults for missing fields [sandbox.tools]", async () => {
  const session = await openSandboxed();
  const schema = {
    type: "object",
    properties: {
      limit: { type: "integer", default: 10 },
      page: { type: "object", properties: { size: { type: "integer", default: 5 } } },
      pairs: { type: "array", items: { type: "object", properties: { weight: { default: 1 } } } },
      origin: { const: 0 },
    },
    required: ["limit"],
  };
  await answer(session, "create_tool", { ...doubler, name: "filled", schema, code: "return input" });
  assert.deepEqual((await answer(session, "filled", {})).value, { limit: 10 });
  assert.deepEqual(
    (await answer(session, "filled", { limit: 2, page: {}, pairs: [{}, { weight: 3 }], origin: 0 })).value,
    { limit: 2, page: { size: 5 }, pairs: [{ weight: 1 }, { weight: 3 }], origin: 0 },
  );
  const offered = (await session.tools()).find(({ name }) => name === "filled");
  assert.deepEqual(offered?.inputSchema, { ...schema, additionalProperties: {} });
});
