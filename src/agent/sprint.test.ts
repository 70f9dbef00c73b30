import assert from "node:assert/strict";
import { test } from "node:test";
import {
  call,
  isInWarningTurn,
  isSummaryRequest,
  ofType,
  openStage,
  plainSummary,
} from "../../test/support/agent.ts";

test("after N closed tasks the conversation is compacted; by default it is not [config.sprint]", async (t) => {
  const calls = [
    call("begin_task", { description: "Sheet 1" }),
    call("end_task", { summary: "clean" }),
    call("begin_task", { description: "Sheet 2" }),
    call("end_task", { summary: "two errors" }),
  ];
  for (const compactAfterTasks of [2, 3, undefined]) {
    let next = 0;
    const stage = await openStage(t, {
      script: (request) => {
        if (isSummaryRequest(request)) return { text: plainSummary(request) };
        if (isInWarningTurn(request)) return { text: "Nothing to save." };
        const made = calls[next++];
        return made ? { toolCalls: [made] } : { text: "Done with both sheets." };
      },
      surfaces: ["notepad", "tasks", "results", "recall"],
      contextWindow: 60_000,
      ...(compactAfterTasks === undefined ? {} : { compactAfterTasks }),
    });
    const { events, compacted } = await stage.say("Audit the sheets.");
    assert.equal(compacted, compactAfterTasks === 2, String(compactAfterTasks));
    assert.deepEqual(
      ofType(events, "compaction").map(({ trigger }) => trigger),
      compactAfterTasks === 2 ? ["tasks"] : [],
    );
  }
});

test("a host's steer text comes before the scratchpad and the user's message, and is not stored [config.steer]", async (t) => {
  const stage = await openStage(t, {
    script: () => ({ text: "Done." }),
    surfaces: ["scratchpad"],
    contextWindow: 60_000,
    placement: "message",
  });
  const session = await stage.session();
  await session.scratchpad.setPlan("1. Count the rows");
  await stage.agent.send("s", "Go on.", { steer: "The user is in a hurry." }).result;
  const content = JSON.stringify(stage.server.requests.at(-1)?.messages.at(-1)?.content);
  assert.match(
    content,
    /^"The user is in a hurry\.\\n\\n\[Session Scratchpad\].*Count the rows.*\[End Scratchpad\]\\n\\nGo on\."$/,
  );
  assert.doesNotMatch(JSON.stringify(await session.messages()), /hurry/);
});
