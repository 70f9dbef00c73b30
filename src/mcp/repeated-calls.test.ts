import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startMcpEndpoint } from "../../test/support/mcp-http.ts";
import { unknownOutcome } from "../stores/postgres/connections.ts";
import { unavailable } from "./connection.ts";

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
  for (const name of ["claudecode/toolUseId", "callId"]) {
    await add(`by ${name}`, { [name]: "toolu_015VxYz123" });
    await add(`by ${name}`, { [name]: "toolu_015VxYz123" });
  }
  const session = await memory.resumeSession("default");
  const contents = (await session.notes.all()).map(({ content }) => content).sort();
  assert.deepEqual(contents, [
    "by callId",
    "by claudecode/toolUseId",
    "once",
    "other content under the same id",
    ...Array(4).fill("twice"),
  ]);
});

test("an outcome in doubt is reported as one, with how to find out, never as unchanged [mcp.unknown-outcome]", () => {
  const error = unknownOutcome({ code: "ETIMEDOUT", message: "no answer" }, 2_000);
  const { code, text } = unavailable("add_note", error);
  assert.equal(code, "store_unknown");
  assert.match(
    text,
    /^add_note: the outcome is unknown\. .*The change may have been applied\. Send the same call again: it is applied once\./,
  );
  assert.doesNotMatch(text, /Nothing was changed/);
  assert.match(unavailable("add_note", new Error("refused")).text, /Nothing was changed\./);
});
