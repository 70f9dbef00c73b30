import assert from "node:assert/strict";
import { test } from "node:test";
import { startMcpEndpoint } from "../../test/support/mcp-http.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { startMcp } from "./test-support/mcp-process.ts";

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Ask = (method: string, params?: { _meta?: object; [field: string]: unknown }) => Promise<Answer>;
// biome-ignore lint/suspicious/noExplicitAny: the test checks what the server returns
type Answer = any;

/** The same exchange over both transports, without `initialize`. */
async function exchange(ask: Ask): Promise<void> {
  const { result: found } = await ask("server/discover");
  assert.ok(found.supportedVersions.includes("2026-07-28"));
  assert.ok(found.ttlMs > 0);
  const { result: first } = await ask("tools/list");
  const { result: second } = await ask("tools/list");
  assert.deepEqual(first.tools, second.tools);
  assert.ok(first.tools.length >= 7);
  assert.ok(first.ttlMs > 0);
  const { result: written } = await ask("tools/call", {
    name: "write_notepad",
    arguments: { content: "cedar-4711" },
  });
  assert.deepEqual(written.structuredContent, { ok: true });
  const { result: read } = await ask("tools/call", { name: "read_notepad", arguments: {} });
  assert.deepEqual(read.structuredContent, { content: "cedar-4711" });
}

test("a client of 2026-07-28 needs no initialize over stdio, and names its session by a handle [mcp.modern]", async (context) => {
  const server = startMcp(context, [], { cwd: temporaryDirectory() });
  const ask: Ask = (method, params = {}) =>
    server.ask(method, { ...params, _meta: { ...envelope, ...params._meta } });
  await exchange(ask);
  const read = async (_meta: object) =>
    (await ask("tools/call", { name: "read_notepad", arguments: {}, _meta })).result.structuredContent;
  const mine = { "holdfast/session": "mine" };
  assert.deepEqual(await read(mine), { content: "" });
  await ask("tools/call", { name: "write_notepad", arguments: { content: "only mine" }, _meta: mine });
  assert.deepEqual(await read(mine), { content: "only mine" });
  assert.deepEqual(await read({}), { content: "cedar-4711" });
  assert.equal((await server.end()).code, 0);
});

test("a client of 2026-07-28 needs no initialize over HTTP [mcp.modern]", async (context) => {
  const { url } = await startMcpEndpoint(context, ["notepad", "notes"]);
  await exchange(async (method, params = {}) => {
    const name = typeof params.name === "string" ? { "mcp-name": params.name } : {};
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...name,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: { ...params, _meta: { ...envelope, ...params._meta } },
      }),
    });
    const text = await response.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  });
});
