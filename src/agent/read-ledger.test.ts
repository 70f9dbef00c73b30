import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { call, filler, finish, inOrder, openStage } from "../../test/support/agent.ts";

test("with readFile the checkpoint says which files that the agent has read are unchanged, and which have changed [controller.read-ledger-drivers]", async (t) => {
  const files = new Map([
    ["same.ts", "export const same = 1;\n"],
    ["other.ts", "export const other = 1;\n"],
    ["gone.ts", "export const gone = 1;\n"],
  ]);
  const read = tool({
    description: "Reads a file",
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => `     1\t${files.get(path)?.trim()}`,
  });
  const stage = await openStage(t, {
    tools: { read },
    readFile: async (path) => {
      const text = files.get(path);
      if (text === undefined) throw new Error("ENOENT");
      return text;
    },
    script: inOrder([
      { toolCalls: [...files.keys()].map((path) => call("read", { path })) },
      { text: `All read. ${filler(400)}` },
    ]),
  });
  await stage.say("Read the three files.");
  files.set("other.ts", "export const other = 2;\n");
  files.delete("gone.ts");
  await finish(stage.agent.compact("s"));
  const [checkpoint] = await (await stage.session()).records("checkpoint");
  const text = checkpoint?.value.text ?? "";
  assert.match(text, /^Files read, unchanged on disk at the compaction: same\.ts\b/m);
  assert.match(text, /^Files read, changed on disk since: other\.ts\b/m);
  assert.match(text, /^Files read: gone\.ts\b/m, "one that cannot be read is in neither list");
});
