import assert from "node:assert/strict";
import { test } from "node:test";
import { append, filler, inOrder, ofType, openStage } from "../../test/support/agent.ts";
import type { ScriptedAnswer } from "../testing/index.ts";
import type { NudgePolicy } from "./index.ts";

type TestContext = Parameters<typeof openStage>[0];

/** The user's newest message in each turn's last request. */
async function newestMessages(
  t: TestContext,
  answers: ScriptedAnswer[],
  nudges: Partial<NudgePolicy>,
  turns: number,
  compactAfter?: number,
) {
  const stage = await openStage(t, { script: inOrder(answers), nudges, surfaces: ["notepad", "results"] });
  const shown: string[] = [];
  const events: string[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    const result = await stage.say(`Turn ${turn}. ${compactAfter ? filler(100) : ""}`.trim());
    events.push(
      ofType(result.events, "nudge")
        .map(({ text }) => text)
        .join(),
    );
    const { messages = [] } = stage.turns().at(-1) ?? {};
    shown.push(
      messages
        .filter(({ role }) => role === "user")
        .map(({ content }) => String(content))
        .find((text) => text.includes(`Turn ${turn}.`)) ?? "",
    );
    if (turn === compactAfter) await stage.agent.compact("s").result;
  }
  return { stage, events, hints: shown.map((text) => /^\[Hint: [^\n]*\](?=\n\n)/.exec(text)?.[0] ?? "") };
}

const plan: ScriptedAnswer = { text: "My plan:\n1. Look\n2. Leap\n3. Land" };

test("off by default: no hint, whatever happens [controller.nudges]", async (t) => {
  const { hints, events } = await newestMessages(t, [plan, { text: "I've noted that." }], {}, 8);
  assert.deepEqual(new Set([...hints, ...events]), new Set([""]));
});

test("nudgeAfterTurns: while the memory is empty, with a cooldown in between [controller.nudges-cooldown]", async (t) => {
  const { hints, events, stage } = await newestMessages(t, [], { nudgeAfterTurns: 2 }, 9);
  const hint =
    "[Hint: Your session memory is still empty. Save your plan and findings now; they survive context compaction.]";
  assert.deepEqual(hints, ["", "", hint, "", "", "", "", hint, ""]);
  assert.deepEqual(events, hints);
  for (const request of stage.turns())
    assert.ok(JSON.stringify(request.messages).split("[Hint").length <= 2, "transient: none is left over");
});

test("nudgeOnPlanDetected: the answer contains a plan and nothing is saved [controller.nudges]", async (t) => {
  const { hints } = await newestMessages(t, [plan, { text: "Ok." }], { nudgeOnPlanDetected: 1 }, 2);
  assert.deepEqual(hints, [
    "",
    "[Hint: You have written down a plan. Save it to your session memory so that it survives context compaction.]",
  ]);
  const written = await newestMessages(
    t,
    [{ toolCalls: [append("1. Look")] }, plan, { text: "Ok." }],
    { nudgeOnPlanDetected: 1 },
    2,
  );
  assert.deepEqual(written.hints, ["", ""], "it is saved already");
});

test("nudgeAfterCompaction: also after a manual compaction [controller.nudges]", async (t) => {
  const { hints } = await newestMessages(t, [], { nudgeAfterCompaction: 1 }, 4, 2);
  assert.deepEqual(hints, [
    "",
    "",
    "[Hint: The context has just been compacted. Review your session memory and save what is missing.]",
    "",
  ]);
});

test("nudgeTurnsSinceLastUse: the memory is not empty and was not updated for a while [controller.nudges]", async (t) => {
  const { hints } = await newestMessages(
    t,
    [{ toolCalls: [append("- x")] }, { text: "Noted it down." }],
    { nudgeTurnsSinceLastUse: 3 },
    6,
  );
  assert.deepEqual(
    hints.map((hint) => hint !== ""),
    [false, false, false, false, true, false],
  );
  assert.match(hints[4] ?? "", /has not been updated for a while/);
});

test("a hint is in no stored message, and starts afresh with the process [controller.nudges]", async (t) => {
  const { stage } = await newestMessages(t, [], { nudgeAfterTurns: 1 }, 3);
  assert.ok(!JSON.stringify(await (await stage.session()).messages()).includes("[Hint"));
  const { result } = stage.another().send("s", "Hello again.");
  await result;
  assert.ok(!JSON.stringify(stage.turns().at(-1)?.messages).includes("[Hint"));
});
