import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { openMemory } from "../index.ts";
import { initialize, startMcp } from "./test-support/mcp-process.ts";

const fixed = ["--store", "memory:", "--session", "s", "--surfaces", "notepad,notes,pins,recall"];

test("tools return the seeds' fields, as text and as structured content [mcp.tools]", async (context) => {
  const server = startMcp(context, fixed);
  await initialize(server);
  const written = await server.call("write_notepad", { content: "# Audit" });
  assert.deepEqual(written.structuredContent, { ok: true });
  assert.deepEqual(JSON.parse(written.content[0].text), { ok: true });
  await server.call("update_notepad", { operation: "append", content: "- July" });
  assert.deepEqual((await server.call("read_notepad")).structuredContent, { content: "# Audit\n- July" });
  const { structuredContent: added } = await server.call("add_note", { content: "x", tags: ["q3"] });
  assert.match(added.note_id, /^note_\d+$/);
  assert.deepEqual(added.metadata, { note_id: added.note_id, total_notes: 1, total_tags: 1 });
  assert.equal((await server.end()).code, 0);
});

test("a tool's refusal is a result, everything else is a protocol error [mcp.errors]", async (context) => {
  const server = startMcp(context, fixed);
  // Sent before the handshake, as Claude Code does.
  assert.equal((await server.ask("server/discover")).error.code, -32_601);
  await initialize(server);
  const missing = await server.call("update_notepad", {
    operation: "find_replace",
    find: "nowhere",
    replace: "x",
  });
  assert.equal(missing.isError, true);
  assert.equal("structuredContent" in missing, false);
  assert.match(missing.content[0].text, /nowhere/);
  const wrong = await server.call("write_notepad", { contents: "x" });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /did you mean "content"\?.*Nothing was changed/s);
  const errors: [method: string, params: unknown, code: number, text: RegExp][] = [
    ["tools/call", { name: "nope", arguments: {} }, -32_602, /no tool "nope".*read_notepad/],
    ["tools/call", { name: "write_notepad", arguments: "x" }, -32_602, /params\.arguments: .*string/],
    ["tools/call", {}, -32_602, /params\.name/],
    ["tools/list", { cursor: "x" }, -32_602, /without a cursor/],
    ["resources/read", {}, -32_602, /params\.uri/],
    ["resources/read", { uri: "file:///etc/passwd" }, -32_602, /resources\/list/],
    ["resources/read", { uri: "holdfast://session/nobody/notepad" }, -32_602, /no session "nobody"/],
    ["resources/read", { uri: "holdfast://session/../notepad" }, -32_602, /resources\/list/],
    ["resources/subscribe", { uri: "holdfast://session/s/else" }, -32_602, /resources\/list/],
    ["prompts/get", { name: "nope" }, -32_602, /recover, handoff/],
    ["initialize", {}, -32_602, /protocolVersion/],
    ["no/such/method", {}, -32_601, /not found/],
    ["completion/complete", {}, -32_601, /not found/],
  ];
  for (const [method, params, code, text] of errors) {
    const { error } = await server.ask(method, params);
    assert.equal(error?.code, code, `${method} ${JSON.stringify(params)}`);
    assert.match(error.message, text);
    assert.ok(!error.message.includes("\n"));
  }
  assert.deepEqual((await server.call("read_notepad")).structuredContent, { content: "" });
  assert.equal((await server.end()).code, 0);
});

test("malformed messages are skipped, and the server keeps running [mcp.frames]", async (context) => {
  const server = startMcp(context, fixed);
  await initialize(server);
  const notJson = [
    "{bad",
    '{"jsonrpc":"2.0","id":1,"method":"ping"',
    "\u0000",
    "nul",
    '{"jsonrpc":"2.0","id":7,"method":"ping"}}',
    "\ufeff{}",
    '["',
  ];
  const noMessages = [
    "{}",
    "[]",
    "5",
    "null",
    '"ping"',
    '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    '{"id":3,"method":"ping"}',
    '{"jsonrpc":"1.0","id":"x","method":"ping"}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":4,"method":5}',
    '{"jsonrpc":"2.0","id":5,"method":"ping","params":"x"}',
  ];
  for (const frame of [...notJson, ...noMessages]) server.write(`${frame}\n`);
  // Deep but well-formed: the tool rejects it.
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  server.write(
    `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"add_note","arguments":{"content":${deep}}}}\n`,
  );
  assert.equal((await server.next(({ id }) => id === "deep")).result.isError, true);
  // Blank lines, stray responses and unknown notifications get no response.
  server.write(
    '\n \r\n{"jsonrpc":"2.0","id":99,"result":{}}\n{"jsonrpc":"2.0","method":"notifications/nothing"}\n',
  );
  assert.deepEqual((await server.ask("ping")).result, {});
  const { code, errors } = await server.end();
  assert.equal(code, 0);
  const lines = errors.trimEnd().split("\n");
  assert.equal(lines.length, noMessages.length, "stderr names every message that is JSON and none of MCP");
  for (const line of lines) assert.match(line, /^holdfast mcp: ./);
});

test("split messages and several messages per chunk are answered [mcp.frames]", async (context) => {
  const server = startMcp(context, fixed);
  await initialize(server);
  const bytes = Buffer.from(
    '{"jsonrpc":"2.0","id":"ü","method":"tools/call","params":{"name":"write_notepad","arguments":{"content":"naïve 🦑"}}}\r\n',
  );
  for (const byte of bytes) server.write(Uint8Array.of(byte));
  assert.deepEqual((await server.next(({ id }) => id === "ü")).result.structuredContent, { ok: true });
  const read = { jsonrpc: "2.0", method: "tools/call", params: { name: "read_notepad" } };
  server.write(`${JSON.stringify({ ...read, id: 0 })}\n${JSON.stringify({ ...read, id: 1 })}\n`);
  for (const expected of [0, 1])
    assert.equal(
      (await server.next(({ id }) => id === expected)).result.structuredContent.content,
      "naïve 🦑",
    );
  assert.equal((await server.end()).code, 0);
});

test("a message of 20 MB is refused by its tool, one of 30 MB ends the connection [mcp.size]", async (context) => {
  const server = startMcp(context, fixed);
  await initialize(server);
  for (const [size, limit] of [
    [20_000_000, /16,000,000/],
    [5_000_000, /32,?000/],
  ] as const) {
    const { isError, content } = await server.call("write_notepad", { content: "x".repeat(size) });
    assert.equal(isError, true);
    assert.match(content[0].text, limit);
  }
  assert.deepEqual((await server.call("read_notepad")).structuredContent, { content: "" });
  server.write("x".repeat(30_000_000));
  const { code, errors } = await server.ended;
  assert.equal(code, 0);
  assert.match(errors, /^holdfast mcp: .*maximum size/);
});

test("pipelined calls run in order, and a read sees the writes before it [mcp.order]", async (context) => {
  const db = `${temporaryDirectory()}/memory.db`;
  const server = startMcp(context, ["--store", db, "--session", "s"]);
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);
  for (const [id, content] of lines.entries()) {
    const params = { name: "update_notepad", arguments: { operation: "append", content } };
    server.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
  }
  assert.equal((await server.call("read_notepad")).structuredContent.content, lines.join("\n"));
  assert.equal((await server.end()).code, 0);
  const memory = await openMemory({ store: db });
  assert.equal(await (await memory.resumeSession("s")).notepad.read(), lines.join("\n"));
  await memory.close();
});

test("calls under way when the input ends do no harm [mcp.end]", async (context) => {
  const db = `${temporaryDirectory()}/memory.db`;
  const server = startMcp(context, ["--store", db, "--session", "s"]);
  await initialize(server);
  const params = { name: "update_notepad", arguments: { operation: "append", content: "line" } };
  for (let id = 0; id < 50; id++)
    server.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
  assert.deepEqual(await server.end(), { code: 0, signal: null, errors: "" });
});

test("programs of one connection run side by side, and nothing waits for them [mcp.side-by-side]", async (context) => {
  const server = startMcp(context, ["--store", "memory:", "--session", "s", "--surfaces", "notepad,sandbox"]);
  const order: unknown[] = [];
  const send = (id: string, method: string, params: unknown = {}) => {
    server.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return server.next((message) => message.id === id).then(() => order.push(id));
  };
  const call = (id: string, name: string, input: unknown) =>
    send(id, "tools/call", { name, arguments: input });
  // Each waits until the next has written its line, so they end only if all three run at once.
  const waitFor = (line: string, write: string) =>
    `await session.notepad.append(${JSON.stringify(write)}); for (;;) { if ((await session.notepad.read()).includes(${JSON.stringify(line)})) return 1; }`;
  const programs = [
    call("p1", "run_sandbox_code", { code: waitFor("third", "first") }),
    call("p2", "run_sandbox_code", { code: waitFor("first", "second") }),
    call("p3", "run_sandbox_code", { code: waitFor("second", "third") }),
  ];
  await Promise.all([...programs, send("list", "tools/list"), call("read", "read_notepad", {})]);
  assert.ok(order.indexOf("list") < 3 && order.indexOf("read") < 5, String(order));
  const { structuredContent } = await server.call("read_notepad");
  for (const line of ["first", "second", "third"]) assert.ok(structuredContent.content.includes(line));
  assert.equal((await server.end()).code, 0);
});

test("SIGTERM and end of input both exit with 0, and stdout contains only protocol messages [mcp.end]", async (context) => {
  for (const stop of ["end", "SIGTERM", "SIGINT"] as const) {
    const db = `${temporaryDirectory()}/memory.db`;
    const server = startMcp(context, ["--store", db]);
    await initialize(server);
    await server.call("write_notepad", { content: stop });
    const ended = await (stop === "end" ? server.end() : server.kill(stop));
    assert.deepEqual(ended, { code: 0, signal: null, errors: "" }, stop);
  }
});

test("starting the server loads no model's SDK [mcp.startup]", async (context) => {
  const trace = `${temporaryDirectory()}/loaded.mjs`;
  const { writeFileSync, readFileSync } = await import("node:fs");
  const log = `${trace}.log`;
  writeFileSync(
    trace,
    `import { appendFileSync } from "node:fs"; import { registerHooks } from "node:module";
     registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(log)}, url + "\\n"); return next(url, context); } });`,
  );
  const server = startMcp(context, fixed, { env: { NODE_OPTIONS: `--import ${trace}` } });
  await initialize(server);
  await server.ask("tools/list");
  await server.call("write_notepad", { content: "x" });
  assert.equal((await server.end()).code, 0);
  const loaded = readFileSync(log, "utf8");
  assert.match(loaded, /@modelcontextprotocol\/server/);
  assert.doesNotMatch(loaded, /node_modules\/ai\/|@ai-sdk|quickjs|src\/controller/);
});
