import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { call, isInWarningTurn, isSummaryRequest, plainSummary } from "../../test/support/agent.ts";
import { numberedLines, openWindow } from "./test-support/window.ts";
import { Progress } from "./turn.ts";

const read = [{ tool: "read_file", input: { path: "a.ts" } }];
const other = [{ tool: "read_file", input: { path: "b.ts" } }];

test("a turn that repeats itself after compactions ends with an error [controller.no-progress]", async (t) => {
  const read = tool({
    inputSchema: z.object({ path: z.string() }),
    execute: async () => numberedLines(1_500, "same"),
  });
  const stage = await openWindow(t, {
    window: 4_000,
    factor: 1,
    tools: { read },
    clearing: false,
    script: (request) => {
      if (isSummaryRequest(request)) return { text: plainSummary(request) };
      return isInWarningTurn(request) ? { text: "Saved." } : { toolCalls: [call("read", { path: "a.ts" })] };
    },
  });
  await assert.rejects(
    stage.say("Read a.ts."),
    /makes no progress: after each of two compactions the model called read again/,
  );
  assert.ok(stage.requests.length < 40, `${stage.requests.length} requests`);
});

test("polling, another result or another call is progress [controller.no-progress]", () => {
  const polling = new Progress();
  for (let count = 0; count < 50; count++) polling.add(read, ["running"]);
  const different = new Progress();
  for (let count = 0; count < 5; count++) {
    different.add(read, [`result ${count}`]);
    different.compacted();
  }
  const between = new Progress();
  between.add(read, ["text"]);
  between.compacted();
  between.add(read, ["text"]);
  between.add(other, ["something new"]);
  between.compacted();
  between.add(read, ["text"]);
});
