import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { contextIn, guessedNames, parseResult, problemsIn } from "../bench/resume/check.ts";
import { runHooks } from "../bench/resume/claude-code.ts";
import { conditions } from "../bench/resume/conditions.ts";
import { type Answers, readRecorded } from "../bench/resume/recorded.ts";
import { lastMessage, questions, session, spansOf, textOf } from "../bench/resume/stories.ts";
import { questionKinds } from "../bench/resume/story.ts";
import {
  checkResult,
  depths,
  graders,
  gradeTask,
  lettersFor,
  readConditions,
  readId,
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
  const written = { summary: [], notepad: ["", "", "- a note that was written"], plan: [], observation: [] };
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

test("an answer quotes its context, and a guess is found [resume.blind]", () => {
  const input =
    "# The context\n\nThe port is `9032`\n(see ops/ports.ts).\n\n# The questions\n\nbackup.2. Which port?\n";
  const problemsOf = (answer: string, quote: string) =>
    problemsIn("read", input, { "backup.2": { answer, quote } });
  assert.deepEqual(problemsOf("It is 9032.", "the port is 9032 (see … ops/ports.ts"), []);
  assert.match(problemsOf("It is 9032.", "The port was 9032")[0] ?? "", /contain "the port was 9032"/);
  assert.match(problemsOf("It is 9032.", "")[0] ?? "", /backup.2: the quote is empty/);
  assert.match(problemsIn("read", input, { "backup.2": "9032" })[0] ?? "", /"answer" and "quote"/);
  assert.match(problemsIn("read", input, { "mail.99": {} })[0] ?? "", /no question mail.99/);
  assert.match(problemsIn("queries", input, { "backup.2": "a | b | c" })[0] ?? "", /one search, or two/);
  assert.match(problemsIn("summary", "", "word ".repeat(1_001))[0] ?? "", /has 1001 words/);
  assert.match(problemsIn("notepad", "", "")[0] ?? "", /text is empty/);
  assert.throws(() => parseResult("read", "The port is 9032."), /not a JSON object/);
  assert.deepEqual(guessedNames(input, "9032 in ops/ports.ts, not 7411."), ["7411"]);
});

test("letters differ from question to question, and every grade is there [resume.blind]", () => {
  const ids = ["a", "b", "c", "d", "e", "f", "g"];
  const orders = questions.map(({ id }) => [...lettersFor("grade-d3-a", id, ids).values()].join(""));
  assert.ok(new Set(orders).size > 20, orders.join(" "));
  const shown = `## ${questions[0]?.id}. q\nGold: g\n- A: yes\n- B: no\n`;
  const problemsOf = (grades: object) => problemsIn("grade", shown, { [questions[0]?.id ?? ""]: grades });
  assert.match(problemsOf({ A: 1 })[0] ?? "", /reader B has no grade/);
  assert.match(problemsOf({ A: 1, B: 0, C: 1 })[0] ?? "", /no reader C/);
  assert.deepEqual(problemsOf({ A: 1, B: "w" }), []);
});

test("recorded answers rest on the contexts that were read, and all are graded [resume.recorded]", () => {
  for (const depth of depths) {
    for (const [condition] of readConditions(depth)) {
      const recorded = readRecorded<Answers>(readId(condition, depth));
      assert.ok(recorded?.input, readId(condition, depth));
      assert.deepEqual(problemsIn("read", recorded.input, recorded.result), []);
    }
    for (const grader of graders) {
      const grading = gradeTask(depth, grader);
      assert.ok(checkResult(grading, readRecorded(grading.id)?.result), grading.id);
    }
  }
});

/** Answers a task as a model does that sees nothing but its prompt. */
function fakeAnswer(name: string, prompt: string): string {
  const input = prompt.slice(prompt.indexOf("\n\n----\n\n") + 8);
  const ids = [...input.matchAll(/^(?:## )?([a-z]+\.\d+)\. /gm)].map(([, id = ""]) => id);
  if (name.startsWith("summary")) return "The next step is the release.";
  if (name.startsWith("queries")) return JSON.stringify({ [ids[0] ?? ""]: "colour picker | Escape" });
  if (name.startsWith("read")) {
    const quote = contextIn(input).split("\n").at(-1);
    return JSON.stringify({ [ids[0] ?? ""]: { answer: "The user said it.", quote } });
  }
  const sections = input.split(/^## /m).slice(1);
  const grades = sections.map((section) =>
    [...section.matchAll(/^- ([A-Z]): /gm)].map(([, letter]) => [letter, 1]),
  );
  return JSON.stringify(Object.fromEntries(ids.map((id, at) => [id, Object.fromEntries(grades[at] ?? [])])));
}

test("a model that sees exported tasks alone can do the whole exam [resume.export]", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-exam-"));
  const records = join(folder, "records");
  const run = (...args: string[]) => {
    const script = join(import.meta.dirname, "../bench/resume/run.ts");
    const env = { ...process.env, HOLDFAST_RESUME_RECORDED: records };
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, ...args], {
      env,
      encoding: "utf8",
    });
    assert.ok(status === 0 || args[0] === "import", stderr);
    return stdout.trim();
  };
  try {
    // Most is recorded already: making every context takes longer.
    cpSync(join(import.meta.dirname, "../bench/resume/recorded"), records, { recursive: true });
    for (const id of ["read-mastra-d10", "read-planning-d3"])
      cpSync(join(records, "read-nothing-d3.json"), join(records, `${id}.json`));
    const open = [
      "summary-d10-s10",
      "read-summary-d10",
      "read-nothing-d3",
      "queries-recall-d3",
      "read-recall-d3",
      "grade-d3-a",
      "grade-d3-b",
    ];
    for (const id of open) rmSync(join(records, `${id}.json`));
    const rounds: string[][] = [];
    for (let round = 1; round <= open.length; round++) {
      const exam = join(folder, `round-${round}`);
      if (run("export", exam) === "Everything is recorded.") break;
      const names = readdirSync(exam);
      rounds.push(names.map((name) => name.split("-")[0] ?? "").toSorted());
      for (const name of names) {
        const prompt = readFileSync(join(exam, name, "prompt.md"), "utf8");
        assert.match(name, /^(?:read|queries|grade|summary)-[0-9a-f]{6}$/);
        assert.equal(prompt.includes("\nGold: "), name.startsWith("grade"), name);
        const answer = join(exam, name, name.startsWith("summary") ? "answer.md" : "answer.json");
        const check = () =>
          spawnSync(process.execPath, [join(exam, name, "check.mjs")], { encoding: "utf8" }).stdout;
        if (name.startsWith("read")) {
          assert.match(run("import", exam, "--model", "fake"), /there is no answer.json yet/);
          writeFileSync(answer, '{ "mail.2": { "answer": "Yes.", "quote": "zzz" } }');
          assert.match(check(), /mail.2: the context does not contain "zzz"/);
          assert.match(run("import", exam, "--model", "fake"), /mail.2: the context does not contain "zzz"/);
        }
        writeFileSync(answer, fakeAnswer(name, prompt));
        assert.equal(check().trim(), "Nothing to correct.", name);
      }
      run("import", exam, "--model", "fake");
    }
    assert.deepEqual(rounds, [
      ["queries", "read", "summary"],
      ["read", "read"],
      ["grade", "grade"],
    ]);
    assert.ok(open.every((id) => existsSync(join(records, `${id}.json`))));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
