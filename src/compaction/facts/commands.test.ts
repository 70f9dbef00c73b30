import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, stateWith } from "../../../test/support/conversation.ts";
import { planCheckpoint } from "../checkpoint.ts";
import { inContext } from "../place-needs.ts";
import { commandOutcomes } from "./commands.ts";

function run(command: string, output: string) {
  return conversation(calls("Bash", { command }, "1"), result(output, "1", "Bash", "error-text"));
}

test("a search without a match and a difference are answers, not failures [controller.checkpoint]", () => {
  const answers = [
    ['grep -A 5 "truecolor\\|background" src/theme.ts', "Exit code 1"],
    ["cd src && grep -n 'a;b' x.ts 2>&1", "Exit code 1"],
    ["grep -c legacy src/x.ts", "Exit code 1\n0"],
    ["ls src\ngrep -rn legacy src", "Exit code 1\na.ts b.ts"],
    ["git ls-files | xargs grep -l legacy", "Exit code 123"],
    ["git grep legacy", "Exit code 1"],
    ["diff a.txt b.txt", "Exit code 1\n1c1\n< one\n> two"],
    ["[ -f dist/cli.js ]", "Exit code 1"],
    ["which bun", "Exit code 1"],
  ] as const;
  for (const [command, output] of answers)
    assert.equal(commandOutcomes(run(command, output))[0]?.failure, "", command);
  const failures = [
    [
      "grep legacy gone.ts",
      "Exit code 2\ngrep: gone.ts: No such file or directory",
      "exit 2: grep: gone.ts: No such file or directory",
    ],
    ["which bun", "Exit code 1\nbun not found", "exit 1: bun not found"],
    ["test -f x && npm run build", "Exit code 1\nError: no entry", "exit 1: Error: no entry"],
  ] as const;
  for (const [command, output, failure] of failures)
    assert.equal(commandOutcomes(run(command, output))[0]?.failure, failure, command);
});

test("what a command prints about other exit codes is no failure, nor is a call that was not let through [controller.checkpoint]", () => {
  const fine = (command: string, output: string) =>
    commandOutcomes(conversation(calls("Bash", { command }, "1"), result(output, "1")))[0]?.failure;
  assert.equal(fine("cat deploy.sh", "set -e\nif [ -z $1 ]; then\n  exit 1\nfi\nnpm publish\nexit 1"), "");
  assert.equal(
    fine("git log -1", "abc123 fix: stop with exit code 3\n\nIt had exit code 1.\n\nMore.\nEnd."),
    "",
  );
  assert.equal(fine("npm test", "✔ stops with exit code 2\nall passed"), "");
  assert.equal(fine("npm test", "3 failing\nexit code: 1"), "exit 1: 3 failing");
  assert.equal(
    fine("npm test", "Exit code: 1\nWall time: 2 s\nOutput:\n3 failing\nmore\nlines"),
    "exit 1: 3 failing",
  );
  assert.equal(fine("npm test", '{"output":"3 failing","metadata":{"exit_code":1}}'), "exit 1");
  for (const answer of [
    "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    "mkdir in '/project/src' was blocked. For security, only the working directory is allowed.",
    "This Bash command contains multiple operations. The following part requires approval: rm -rf x",
  ])
    assert.equal(commandOutcomes(run("rm -rf x", answer))[0]?.failure, "", answer);
});

test("a command of several lines keeps its line ends [controller.checkpoint]", () => {
  const messages = conversation(
    calls("Bash", { command: "cd packages/web\nnpm run build" }, "1"),
    result("ok", "1"),
  );
  const { text } = planCheckpoint({
    state: stateWith(),
    messages,
    to: 2,
    countTokens: (part) => part.length / 4,
  });
  assert.match(text, /cd packages\/web ⏎ npm run build \(ok\)/);
  const need = { kind: "command", text: "cd packages/web\nnpm run build" } as const;
  assert.ok(inContext([need], text)(need), "the receipt finds it");
});

test("where a failed command does not fit, its error is cut as well, not left out [controller.checkpoint]", () => {
  const command = `node scripts/check-everything.ts ${"--only one-of-the-many-packages ".repeat(8)}`;
  const failing = run(command, "Exit code 1\nTypeError: cannot read the manifest of the package");
  const names = Array.from({ length: 300 }, (_, index) => `src/part-${index}/file-${index}.ts`);
  const messages = conversation(
    ...failing.map(({ message }) => message),
    calls("open", { paths: names }, "2"),
  );
  const { text } = planCheckpoint({
    state: stateWith(),
    messages,
    to: 3,
    budget: { tokens: 400 },
    countTokens: (part) => part.length / 4,
  });
  assert.match(
    text,
    /Commands that failed: node scripts\/check-everything\.… \(exit 1: TypeError: cannot …\)/,
  );
});

test("what names leave of the budget goes to statements that were cut [controller.checkpoint-size]", () => {
  const steps = Array.from({ length: 12 }, (_, index) => [
    calls("Bash", { command: `npm run step-${index} -- --target one-of-many --with everything` }, `${index}`),
    result(`Exit code 1\nError: step ${index} has no input`, `${index}`, "Bash", "error-text"),
  ]).flat();
  const { text } = planCheckpoint({
    state: stateWith(),
    messages: conversation(...steps),
    to: 24,
    budget: { tokens: 2_000 },
    countTokens: (part) => part.length / 4,
  });
  for (let index = 0; index < 12; index++)
    assert.match(text, new RegExp(`Error: step ${index} has no input`));
});
