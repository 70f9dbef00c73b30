import assert from "node:assert/strict";
import { test } from "node:test";
import {
  looksLikePlan,
  type NudgeFacts,
  type NudgeName,
  type NudgePolicy,
  noNudges,
  planNudge,
} from "./nudges.ts";

const quiet: NudgeFacts & { isEmpty: boolean } = {
  turns: 10,
  turnsSinceWrite: 0,
  isEmpty: false,
  lastText: "",
  compacted: false,
  given: {},
};
const plan = "1. Look\n2. Leap\n3. Land";

const due: [name: NudgeName, value: number, facts: Partial<typeof quiet>][] = [
  ["nudgeAfterTurns", 3, { isEmpty: true, turns: 3 }],
  ["nudgeOnPlanDetected", 1, { isEmpty: true, lastText: plan }],
  ["nudgeAfterCompaction", 1, { compacted: true }],
  ["nudgeTurnsSinceLastUse", 4, { turnsSinceWrite: 4 }],
];

test("each of the four nudges fires only when it is on and due, as one hint [controller.nudges]", () => {
  for (const [name, value, facts] of due) {
    const policy: NudgePolicy = { ...noNudges, [name]: value };
    const nudge = planNudge({ ...quiet, ...facts }, policy);
    assert.equal(nudge?.name, name);
    assert.match(nudge?.text ?? "", /^\[Hint: [^\n]+\]$/);
    assert.equal(planNudge({ ...quiet, ...facts }, noNudges), undefined, "off by default");
    assert.equal(planNudge(quiet, policy), undefined, "not due");
  }
  assert.equal(
    planNudge({ ...quiet, isEmpty: true, turns: 2 }, { ...noNudges, nudgeAfterTurns: 3 }),
    undefined,
  );
  assert.equal(
    planNudge({ ...quiet, turnsSinceWrite: 3 }, { ...noNudges, nudgeTurnsSinceLastUse: 4 }),
    undefined,
  );
  assert.equal(
    planNudge({ ...quiet, lastText: plan }, { ...noNudges, nudgeOnPlanDetected: 1 }),
    undefined,
    "the memory is not empty",
  );
});

test("no nudge repeats every turn [controller.nudges-cooldown]", () => {
  const policy = { ...noNudges, nudgeAfterTurns: 1 };
  const given: NudgeFacts["given"] = {};
  const turns = Array.from({ length: 14 }, (_, turn) => turn).filter((turn) => {
    const nudge = planNudge({ ...quiet, isEmpty: true, turns: turn, given }, policy);
    if (nudge) given[nudge.name] = turn;
    return nudge !== undefined;
  });
  assert.deepEqual(turns, [1, 6, 11]);
});

test("a plan is three numbered lines, steps or checkboxes [controller.nudges]", () => {
  for (const text of [
    plan,
    "1) a\n2) b\n3) c",
    "**1. a**\n**2. b**\n**3. c**",
    "Step 1: a\nStep 2: b\nStep 3: c",
    "## Phase 1\nx\n## Phase 2\ny\n**Stage 3** z",
    "- [ ] a\n- [x] b\n* [ ] c",
  ])
    assert.ok(looksLikePlan(text), text);
  for (const text of ["1. a\n2. b", "- a\n- b\n- c", "In 1999 we.\nIn 2000 we.\nIn 2001 we.", ""])
    assert.ok(!looksLikePlan(text), text);
});
