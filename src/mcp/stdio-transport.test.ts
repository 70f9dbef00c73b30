import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import { test } from "node:test";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioTransport } from "./stdio-transport.ts";

const answer = "x".repeat(50_000);

/** A transport whose every request is answered with 50 kB, a moment later. */
async function startAnswering(input: Readable, output: Writable) {
  const transport = new StdioTransport(input, output);
  const counts = { received: 0 };
  transport.onmessage = (message: JSONRPCMessage) => {
    counts.received++;
    if ("id" in message && message.id !== undefined) {
      const { id } = message;
      setImmediate(() => void transport.send({ jsonrpc: "2.0", id, result: { text: answer } }));
    }
  };
  await transport.start();
  return { transport, counts };
}

function requests(count: number): string[] {
  return Array.from(
    { length: count },
    (_, id) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`,
  );
}

test("20,000 unread answers stay unasked until the client reads [mcp.back-pressure]", async () => {
  const input = Readable.from(requests(20_000).map((line) => Buffer.from(line)));
  let release: (() => void) | undefined;
  let written = 0;
  let isReading = false;
  const output = new Writable({
    write(_chunk, _encoding, done) {
      written++;
      if (isReading) setImmediate(done);
      else release = done;
    },
  });
  const { transport, counts } = await startAnswering(input, output);
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await once(input, "pause");
  // Everything that was under way has come to an end.
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  assert.ok(counts.received <= 200, `${counts.received} requests were taken`);
  assert.ok(output.writableLength < 8_000_000, `${output.writableLength} bytes wait`);
  isReading = true;
  release?.();
  await closed;
  assert.equal(counts.received, 20_000);
  output.end();
  await once(output, "finish");
  assert.equal(written, 20_000);
});

test("a chunk with many requests is worked through in order, a few at a time [mcp.back-pressure]", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  await startAnswering(input, output);
  const ids: number[] = [];
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) ids.push((JSON.parse(line) as { id: number }).id);
  });
  input.end(requests(500).join(""));
  await once(input, "end");
  while (ids.length < 500) await once(output, "data");
  assert.deepEqual(
    ids,
    Array.from({ length: 500 }, (_, id) => id),
  );
});
