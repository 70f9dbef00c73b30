import assert from "node:assert/strict";
import { test } from "node:test";
import { runHooks } from "../bench/resume/claude-code.ts";
import { conditions } from "../bench/resume/conditions.ts";
import { type Answers, readRecorded } from "../bench/resume/recorded.ts";
import { lastMessage, questions, session, spansOf, textOf } from "../bench/resume/stories.ts";
import { questionKinds } from "../bench/resume/story.ts";
import {
  answerProblems,
  checkResult,
  conditionsAt,
  contextIn,
  depths,
  graders,
  gradeTask,
  lettersFor,
  readId,
  type Task,
} from "../bench/resume/tasks.ts";
import { estimateTokens } from "../src/context/estimate-tokens.ts";

test("the session fills a window, and has questions of every kind [resume.stories]", () => {
  const tokens = session.reduce((sum, step) => sum + estimateTokens(textOf(step)), 0);
  assert.ok(tokens >= 150_000, String(tokens));
  for (const kind of questionKinds)
    assert.ok(questions.filter((each) => each.kind === kind).length >= 5, kind);
  for (const part of ["first", "middle", "last"])
    assert.ok(questions.filter((each) => each.part === part).length >= 7, part);
  for (const compactions of depths) assert.deepEqual(spansOf(compactions).flat(), session);
});

test("readers see questions and no gold answer [resume.stories]", () => {
  const { input = "" } = readRecorded("read-nothing-d3") ?? {};
  assert.ok(input.includes(lastMessage));
  for (const { question, gold } of questions) {
    assert.ok(input.includes(question), question);
    assert.ok(!input.includes(gold), gold);
  }
});

test("a context is the same again, and after kills of the hook [resume.contexts]", async () => {
  const queries = ["the colour picker and Escape"];
  for (const compactions of depths) {
    const first = await runHooks(compactions, { queries });
    assert.match(first.found[0] ?? "", /full-screen mode/);
    assert.deepEqual(await runHooks(compactions, { queries }), first);
    assert.deepEqual(await runHooks(compactions, { queries, killed: true }), first, "killed");
  }
});

test("planted faults are in the contexts [resume.planted]", async () => {
  const written = { summaries: [], notepads: ["", "", "- a note that was written"] };
  const made = async (id: string) => {
    const condition = conditions.find((each) => each.id === id);
    assert.ok(condition, id);
    return condition.context(3, written);
  };
  const [words, names, lost] = [await made("no-words"), await made("names-only"), await made("no-notepad")];
  const said = "Please write to nobody about the old numbers";
  assert.ok((await made("handoff")).includes(said));
  assert.ok(!words.includes(said) && words.includes("January took 7:02"));
  assert.ok(!names.includes(said) && names.includes("- meter.tz"));
  assert.ok((await made("notepad")).includes("a note that was written"));
  assert.ok(!lost.includes("a note that was written"));
});

const task = (kind: Task["kind"], input: string): Task => ({ id: "t", kind, prompt: "", input });

test("an answer needs words of its context, and a search words that its reader knows [resume.blind]", () => {
  const context =
    "# The context\n\nThe port is 9032 (see ops/ports.ts).\n\n# The questions\n\nbackup.2. Which port?\n";
  const answered = (answer: string, quote: string) =>
    checkResult(task("read", context), { "backup.2": { answer, quote } });
  assert.ok(answered("It is 9032.", "The port is 9032 … ops/ports.ts"));
  assert.throws(() => answered("It is 9032.", "The port was 9032"), /does not contain "The port was 9032"/);
  assert.throws(() => answered("It is 7411.", "The port is 9032"), /does not contain the name 7411/);
  assert.throws(() => checkResult(task("read", context), { "mail.99": {} }), /no question mail.99/);
  assert.ok(checkResult(task("queries", context), { "backup.2": "which port | ports.ts" }));
  assert.throws(() => checkResult(task("queries", context), { "backup.2": "port lyra" }), /cannot know lyra/);
});

test("letters differ from question to question, and every grade is there [resume.blind]", () => {
  const ids = ["a", "b", "c", "d", "e", "f", "g"];
  const orders = questions.map(({ id }) => [...lettersFor("grade-d3-a", id, ids).values()].join(""));
  assert.ok(new Set(orders).size > 20, orders.join(" "));
  const shown = `## ${questions[0]?.id}. q\nGold: g\n- A: yes\n- B: no\n`;
  const graded = (grades: object) => checkResult(task("grade", shown), { [questions[0]?.id ?? ""]: grades });
  assert.throws(() => graded({ A: 1 }), /reader B has no grade/);
  assert.ok(graded({ A: 1, B: "w" }));
});

test("recorded answers rest on the contexts that were read, and all are graded [resume.recorded]", () => {
  for (const depth of depths) {
    for (const condition of conditionsAt(depth)) {
      const recorded = readRecorded<Answers>(readId(condition, depth));
      assert.ok(recorded?.input, readId(condition, depth));
      assert.deepEqual(answerProblems(contextIn(recorded.input), recorded.result), []);
    }
    for (const grader of graders) {
      const grading = gradeTask(depth, grader);
      assert.ok(checkResult(grading, readRecorded(grading.id)?.result), grading.id);
    }
  }
});
