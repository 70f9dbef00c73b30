import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText } from "ai";
import { filler, isSummaryRequest, modelAt, plainSummary } from "../../../test/support/agent.ts";
import { openMemory } from "../../index.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { holdfast } from "./index.ts";

test("with readFile the checkpoint says which files that the agent has read are unchanged [controller.read-ledger-drivers]", async () => {
  const server = await startScriptedServer((request) => ({
    text: isSummaryRequest(request) ? plainSummary(request) : "Done.",
  }));
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.openSession("s");
  const text = "export const same = 1;";
  const settings = holdfast({
    session,
    model: modelAt(server.url),
    contextWindow: 4_000,
    readFile: (path) => (path === "same.ts" ? `${text}\n` : undefined),
  });
  await generateText({
    ...settings,
    messages: [
      { role: "user", content: "Read same.ts." },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "1", toolName: "read", input: { path: "same.ts" } }],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "1", toolName: "read", output: { type: "text", value: text } },
        ],
      },
      { role: "assistant", content: filler(2_600) },
      { role: "user", content: "Go on." },
    ],
  });
  const [checkpoint] = await session.records("checkpoint");
  assert.match(checkpoint?.value.text ?? "", /^Files read, unchanged on disk at the compaction: same\.ts$/m);
  await Promise.all([server.close(), memory.close()]);
});
