import assert from "node:assert/strict";
import { test } from "node:test";
import { startMcpEndpoint } from "../../test/support/mcp-http.ts";

// biome-ignore lint/suspicious/noExplicitAny: the test checks what the server returns
type Message = any;

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Initializes a connection and returns the headers for its later requests. */
async function connect(url: string, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const response = await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params }, headers);
  assert.match(await response.text(), /"name":"holdfast"/);
  return { ...headers, "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

async function ask(
  url: string,
  connection: Record<string, string>,
  method: string,
  params = {},
): Promise<Message> {
  const response = await post(url, { jsonrpc: "2.0", id: 1, method, params }, connection);
  const [, data = ""] = /^data: (.*)$/m.exec(await response.text()) ?? [];
  return JSON.parse(data).result;
}

test("a hundred concurrent clients each see only their own session [mcp.isolation]", async (context) => {
  const { url } = await startMcpEndpoint(context, ["notepad", "notes"]);
  const clients = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const own = `${url}?session=client-${index}`;
      return { id: `client-${index}`, own, connection: await connect(own) };
    }),
  );
  const call = ({ own, connection }: (typeof clients)[number], name: string, input = {}) =>
    ask(own, connection, "tools/call", { name, arguments: input });
  await Promise.all(clients.map((client) => call(client, "write_notepad", { content: `of ${client.id}` })));
  await Promise.all(
    clients.map((client) => call(client, "add_note", { content: client.id, tags: [client.id] })),
  );
  await Promise.all(
    clients.map(async (client) => {
      const { structuredContent: notepad } = await call(client, "read_notepad");
      assert.deepEqual(notepad, { content: `of ${client.id}` });
      const { structuredContent: listed } = await call(client, "list_tags");
      assert.deepEqual(listed.tags, [{ tag: client.id, count: 1 }]);
      // The connection determines the session, whatever the URL of a later request contains.
      const { resources } = await ask(url, client.connection, "resources/list");
      const uris: string[] = resources.map(({ uri }: { uri: string }) => uri);
      assert.ok(uris.every((uri) => uri.startsWith(`holdfast://session/${client.id}/`)));
    }),
  );
});

test("a client cannot use another's connection, an unknown one or a closed one [mcp.isolation]", async (context) => {
  const { url } = await startMcpEndpoint(context, ["notepad"]);
  const mine = await connect(url, { authorization: "Bearer mine" });
  const id = mine["mcp-session-id"] ?? "";
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const status = async (headers: Record<string, string>) => (await post(url, ping, headers)).status;
  assert.equal(await status(mine), 200);
  assert.equal(await status({ ...mine, authorization: "Bearer theirs" }), 404);
  assert.equal(await status({ "mcp-session-id": id }), 404);
  assert.equal(await status({ ...mine, "mcp-session-id": crypto.randomUUID() }), 404);
  assert.equal(await status({ authorization: "Bearer mine" }), 400);
  assert.equal((await fetch(url, { method: "DELETE", headers: mine })).status, 200);
  assert.equal(await status(mine), 404);
});

test("malformed, oversized and cross-origin requests are rejected over HTTP too [mcp.frames] [mcp.size]", async (context) => {
  const { url } = await startMcpEndpoint(context, ["notepad"]);
  const refusal = async (body: string, headers = {}) => {
    const response = await post(url, body, headers);
    return [response.status, ((await response.json()) as Message).error.code];
  };
  assert.deepEqual(await refusal("{bad"), [400, -32_700]);
  assert.deepEqual(await refusal(`"${"x".repeat(20_000_000)}"`), [413, -32_000]);
  assert.deepEqual(await refusal("{}", { origin: "https://example.com" }), [403, -32_000]);
  assert.deepEqual(await ask(url, await connect(url), "ping"), {});
});
