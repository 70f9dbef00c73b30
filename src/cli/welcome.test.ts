import assert from "node:assert/strict";
import { test } from "node:test";
import { holdfast } from "../../test/support/command-line.ts";
import { type FoundHost, welcome } from "./welcome.ts";

/** What a person sees who answers so, and whether init ran. */
async function greet(found: readonly FoundHost[], answer: string | undefined) {
  const lines: string[] = [];
  const questions: string[] = [];
  let inits = 0;
  await welcome(found, {
    print: (line) => lines.push(line),
    ask: async (question) => {
      questions.push(question);
      return answer;
    },
    init: async () => {
      inits++;
      return 0;
    },
  });
  return { text: lines.join("\n"), questions, inits };
}

const half: FoundHost[] = [
  { title: "First Agent", changes: 0 },
  { title: "Second", changes: 2 },
];

test("holdfast alone shows the hosts found here and offers init [people.welcome]", async () => {
  const yes = await greet(half, "");
  assert.match(yes.text, /First Agent {2}connected\n {2}Second {7}not connected/);
  assert.match(
    yes.questions[0] ?? "",
    /^Connect now\? This changes 2 files; ".* uninstall" restores them\. \[Y\/n\] $/,
  );
  assert.equal(yes.inits, 1);

  const no = await greet(half, "n");
  assert.equal(no.inits, 0);
  assert.match(no.text, /Nothing was changed\.\n\nNext\n.* init --dry-run +show what would change/);

  assert.equal((await greet(half, undefined)).inits, 0, "a closed input is no yes");

  const done = await greet(half.slice(0, 1), "y");
  assert.deepEqual([done.questions, done.inits], [[], 0], "nothing is left to connect");
  assert.match(done.text, / serve +see and edit memory/);

  const none = await greet([], "y");
  assert.match(none.text, /No coding agent was found here\. Holdfast works with .*Claude Code/);
  assert.equal(none.inits, 0);
});

test("without a terminal, holdfast alone prints the help and exits with 1 [people.welcome]", async () => {
  const { code, stdout } = await holdfast();
  assert.equal(code, 1);
  assert.match(stdout, /^Usage: holdfast COMMAND/m);
});
