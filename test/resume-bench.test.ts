import assert from "node:assert/strict";
import { test } from "node:test";
import { contextFromHook } from "../bench/resume/claude-code.ts";
import { conditions, contextsOf } from "../bench/resume/conditions.ts";
import { checkResult } from "../bench/resume/results.ts";
import { lastMessage, spansOf, stories, textOf } from "../bench/resume/stories.ts";
import { questionKinds } from "../bench/resume/story.ts";
import { allTasks, lettersFor } from "../bench/resume/tasks.ts";
import { estimateTokens } from "../src/context/estimate-tokens.ts";

test("stories are long, and have questions of every kind [resume.stories]", () => {
  for (const story of stories) {
    const tokens = story.steps.reduce((sum, step) => sum + estimateTokens(textOf(step)), 0);
    assert.ok(tokens >= 25_000, `${story.id}: ${tokens}`);
    const kinds = questionKinds.map((kind) => story.questions.filter((each) => each.kind === kind).length);
    assert.deepEqual(kinds, [2, 3, 3, 2, 2, 2], story.id);
    assert.deepEqual(new Set(story.questions.map(({ third }) => third)), new Set([1, 2, 3]));
    for (const compactions of [1, 3, 10]) assert.deepEqual(spansOf(story, compactions).flat(), story.steps);
  }
});

test("readers see questions and no gold answer [resume.stories]", async () => {
  const tasks = await allTasks();
  const nothing = tasks.find(({ id }) => id === "read-nothing-d1");
  for (const { id, questions, ...story } of stories) {
    const input = nothing?.inputs[id] ?? "";
    assert.ok(input.includes(lastMessage({ id, questions, ...story })));
    for (const { question, gold } of questions) {
      assert.ok(input.includes(question));
      assert.ok(!input.includes(gold), gold);
    }
  }
});

test("a context is the same again, and after kills of the hook [resume.contexts]", async () => {
  for (const story of stories)
    for (const compactions of [1, 3, 10]) {
      const context = await contextFromHook(story, compactions);
      assert.equal(await contextFromHook(story, compactions), context);
      assert.equal(await contextFromHook(story, compactions, { killed: true }), context, "killed");
    }
});

test("planted faults are in the contexts [resume.planted]", async () => {
  const written = { summaries: ["A summary."], notepads: ["- a note that was written"] };
  const made = async (id: string) => {
    const condition = conditions.find((each) => each.id === id);
    assert.ok(condition, id);
    return (await contextsOf(condition, 1, () => written)).ferry ?? "";
  };
  const [words, names, lost] = [await made("no-words"), await made("names-only"), await made("no-notepad")];
  const said = "Never delete rows from seat_hold.";
  assert.ok((await made("handoff")).includes(said));
  assert.ok(!words.includes(said) && words.includes("scripts/release-orphans.ts"));
  assert.ok(!names.includes(said) && names.includes("- scripts/release-orphans.ts"));
  assert.ok((await made("notepad")).includes("a note that was written"));
  assert.ok(!lost.includes("a note that was written"));
});

test("letters differ from story to story, and results are checked [resume.blind]", () => {
  const ids = ["a", "b", "c", "d", "e", "f", "g"];
  const orders = stories.map(({ id }) => [...lettersFor("grade-d1-a", id, ids).values()].join(""));
  assert.ok(new Set(orders).size > 3, orders.join(" "));
  const task = (kind: "read" | "grade", input: string) => ({
    id: "t",
    kind,
    prompt: "",
    inputs: { ferry: input },
  });
  assert.throws(() => checkResult(task("read", ""), "ferry", { 1: "yes" }), /question 2 has no answer/);
  const shown = "## 1. q\nGold: g\n- A: yes\n\n## 2. q\nGold: g\n- B: no";
  assert.throws(() => checkResult(task("grade", shown), "ferry", { 1: { A: 1 } }), /reader B has no grade/);
  const graded = checkResult(task("grade", shown), "ferry", { 1: { A: 0.5, C: 1 }, 2: { B: "w" } });
  assert.deepEqual(Object.entries(graded as object).slice(0, 2), [
    ["1", { A: 0.5 }],
    ["2", { B: "w" }],
  ]);
});
