import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startMcpEndpoint } from "../../test/support/mcp-http.ts";

test("a call that an MCP client sends twice under the same id is applied once; without an id it is a new call [mcp.repeated-calls]", async (context) => {
  const { url, memory } = await startMcpEndpoint(context, ["notes"]);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  context.after(() => client.close());
  const add = async (content: string, meta: Record<string, unknown> = {}) => {
    const { structuredContent, isError } = await client.callTool({
      name: "add_note",
      arguments: { content },
      _meta: meta,
    });
    assert.ok(!isError);
    return structuredContent;
  };
  const meta = { "example.com/idempotencyKey": "a call of this client" };
  assert.deepEqual(await add("once", meta), await add("once", meta));
  await add("other content under the same id", meta);
  for (const short of [{ toolCallId: "call_0" }, {}]) {
    await add("twice", short);
    await add("twice", short);
  }
  const session = await memory.resumeSession("default");
  const contents = (await session.notes.all()).map(({ content }) => content).sort();
  assert.deepEqual(contents, ["once", "other content under the same id", ...Array(4).fill("twice")]);
});
