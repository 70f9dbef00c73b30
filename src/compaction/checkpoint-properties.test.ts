import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { calls, conversation, result, says, stateWith, user } from "../../test/support/conversation.ts";
import { plainTextOf, type StoredMessage } from "../context/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { Checkpoint } from "../engine/records.ts";
import { checkpointTokens } from "./budget.ts";
import { planCheckpoint } from "./checkpoint.ts";

const plan = (messages: StoredMessage[], more: Partial<Parameters<typeof planCheckpoint>[0]> = {}) =>
  planCheckpoint({ state: stateWith(), messages, to: messages.length, countTokens: estimateTokens, ...more });

const script = fc.constantFrom(
  "src/a",
  "getName",
  "漢字",
  "ሰላም",
  "👩‍👩‍👧",
  "مرحبا",
  "--flag ",
  "\n",
  " ",
  "x/y.ts ",
  "Ünï",
  "7f3e",
  "שלום/נתיב",
  "\ud83d",
  "\u202e",
  " alphaOne ",
  " betaTwo ",
  " gammaThree ",
  " /etc/one.conf ",
  " /etc/two.conf ",
);
const words = fc.array(script, { maxLength: 60 }).map((parts) => parts.join(""));
const line = fc.oneof(
  words.map(user),
  words.map(says),
  fc.tuple(words, words).map(([path, content]) => calls("write_file", { path, content })),
  words.map((command) => calls("bash", { command })),
  words.map((text) => result(`exit code 1\n${text}`)),
);
const messages = fc.array(line, { maxLength: 30 }).map((lines) => conversation(...lines));

test("never exceeds its tokens or bytes, in any script [controller.checkpoint-size]", () => {
  fc.assert(
    fc.property(messages, fc.constantFrom(400, 600, 2_500), (told, size) => {
      assert.ok(estimateTokens(plan(told, { budget: { tokens: size } }).text) <= size);
      assert.ok(Buffer.byteLength(plan(told, { budget: { bytes: size * 3 } }).text) <= size * 3);
    }),
    { numRuns: 60 },
  );
});

test("is deterministic, and independent of the order in which an earlier checkpoint lists its names [controller.checkpoint-need]", () => {
  fc.assert(
    fc.property(messages, messages, (before, now) => {
      const earlier = plan(before);
      const { memory } = earlier;
      assert.ok(memory);
      const reversed: Checkpoint = { ...earlier, memory: { ...memory, names: memory.names.toReversed() } };
      const files = [...earlier.filesRead, ...earlier.filesWritten].map(
        (file): [string, { text: string }] => [file, { text: "x" }],
      );
      const [contents, others] = [new Map(files), new Map(files.toReversed())];
      const { text } = plan(now, { earlier, contents });
      assert.equal(plan(now, { earlier, contents }).text, text);
      assert.equal(plan(now, { earlier: reversed, contents: others }).text, text);
    }),
    { numRuns: 40 },
  );
});

/** Every path that a checkpoint lists, without the lines that were read and the symbols in it. */
function listedPaths(text: string): string[] {
  const lines = text.split("\n").filter((each) => /^(?:Files [^:]*|Other paths): /.test(each));
  return lines
    .flatMap((each) => each.slice(each.indexOf(": ") + 2).split(/; | (?!\()(?![^(]*\))/))
    .map((path) => path.replace(/ \(.*$/, "").replace(/:\d+-\d*$/, ""));
}

/** Fails if a checkpoint names a path that the conversation does not contain. */
function assertNoFalsePath(text: string, told: readonly StoredMessage[]): void {
  const said = told.map(({ message }) => plainTextOf(message)).join("\n");
  for (const path of listedPaths(text)) assert.ok(said.includes(path), `${path} is nowhere in\n${said}`);
}

const segment = fc.constantFrom(
  "src",
  "a.ts",
  "b-2",
  "app/[user]",
  "漢字",
  "ሰላም.md",
  "Left",
  "x",
  "..",
  "v1.2",
  "~",
);
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"));
const pathText = fc
  .array(fc.tuple(path, fc.constantFrom(" ", ", ", "\n", " s/", ")", '"', ":12 ", "\\n")), { maxLength: 12 })
  .map((parts) => parts.flat().join(""));
const pathLine = fc.oneof(
  pathText.map(user),
  pathText.map(says),
  fc.tuple(path, pathText).map(([file_path, content]) => calls("Write", { file_path, content })),
  fc.tuple(path, fc.nat(90)).map(([file_path, offset]) => calls("Read", { file_path, offset, limit: 9 })),
  pathText.map((command) => calls("bash", { command })),
  pathText.map((text) => result(text)),
);

test("lists no path that the conversation does not contain, in any spelling [controller.checkpoint-need]", () => {
  let listed = 0;
  fc.assert(
    fc.property(fc.array(pathLine, { maxLength: 20 }), (lines) => {
      const told = conversation(...lines);
      const { text } = plan(told);
      listed += listedPaths(text).length;
      assertNoFalsePath(text, told);
    }),
    { numRuns: 60 },
  );
  assert.ok(listed > 100, `only ${listed} paths were listed`);
  const told = conversation(user("See src/a.ts."));
  assert.throws(() => assertNoFalsePath("Files read: src/a.ts; src/b.ts", told), /src\/b\.ts is nowhere/);
});

test("lists no file that no call named [controller.checkpoint-need]", () => {
  const { text } = plan(
    conversation(
      user("Use s/old/new/ on Left/right, m/g and n/g."),
      calls("bash", { command: "sed -i 's/new/old/g' src/real.ts" }),
      result("done"),
    ),
  );
  assert.match(text, /src\/real\.ts/);
  assert.doesNotMatch(text, /(?:paths|Files \w+): [^\n]*(?:s\/new|m\/g|n\/g|Left\/right)/);
});

const busy = Array.from({ length: 300 }, (_, index) => [
  calls(
    "edit_file",
    { path: `src/part-${index % 40}/file-${index}.ts`, new_string: `handleCase${index}()` },
    `e${index}`,
  ),
  result("edited", `e${index}`),
]).flat();

test("takes 1 % of the window within its limits, and uses at least 95 % of it [controller.checkpoint-size]", () => {
  assert.deepEqual([8_000, 100_000, 200_000, 1_000_000].map(checkpointTokens), [400, 1_000, 2_000, 2_500]);
  for (const tokens of [400, 1_000, 2_500]) {
    const used = estimateTokens(plan(conversation(...busy), { budget: { tokens } }).text);
    assert.ok(used >= tokens * 0.95 && used <= tokens, `${used} of ${tokens}`);
  }
  const bytes = Buffer.byteLength(plan(conversation(...busy), { budget: { bytes: 8_000 } }).text);
  assert.ok(bytes >= 8_000 * 0.95, `${bytes} of 8000`);
});

test("counts the bytes of every script as they are written [controller.checkpoint-size]", () => {
  for (const letters of ["ab", "éü", "שם", "漢字", "𝒳𝒴"]) {
    const files = Array.from({ length: 300 }, (_, index) =>
      calls("edit_file", { path: `${letters}/${index}.ts` }),
    );
    const used = Buffer.byteLength(plan(conversation(...files), { budget: { bytes: 2_000 } }).text);
    assert.ok(used <= 2_000 && used >= 2_000 * 0.95, `${letters}: ${used} of 2000`);
  }
});

test("a name of epoch 1 that is still used is there in epoch 10; one that is not makes room [controller.checkpoint-carry]", () => {
  let earlier: Checkpoint | undefined;
  for (let epoch = 1; epoch <= 10; epoch++) {
    const told = conversation(
      ...(epoch === 1 ? [calls("read_file", { path: "src/forgotten.ts" }), result("x")] : []),
      ...(epoch % 3 === 1
        ? [calls("bash", { command: "deploy --to stage-7 ops/release.yml" }, "d"), result("ok", "d")]
        : []),
      ...Array.from({ length: 60 }, (_, index) =>
        calls("edit_file", { path: `src/epoch-${epoch}/file-${index}.ts` }),
      ),
    );
    earlier = plan(told, { earlier, budget: { tokens: 600 } });
  }
  assert.match(earlier?.text ?? "", /ops\/release\.yml/);
  assert.doesNotMatch(earlier?.text ?? "", /forgotten/);
});

test("what the host keeps is not said again [controller.checkpoint-need]", () => {
  const told = conversation(
    calls("edit_file", { path: "src/old.ts", new_string: "oldName()" }),
    result("ok"),
    calls("edit_file", { path: "src/kept.ts", new_string: "keptName()" }),
    result("ok"),
  );
  const { text } = plan(told, { to: 2 });
  assert.match(text, /src\/old\.ts \(oldName\)/);
  assert.doesNotMatch(text, /kept/);
});

test("where the host may keep a tail, older names are worth more, and newer ones are still said [hooks.kept-tail]", () => {
  const turns = (part: string) =>
    Array.from({ length: 60 }, (_, index) => [
      calls("bash", { command: `check ${part}/case-${index}.ts` }, `${part}${index}`),
      result("ok", `${part}${index}`),
    ]).flat();
  const told = conversation(...turns("src/early"), ...turns("src/late"));
  const count = (text: string, part: string) => text.split(`${part}/case-`).length - 1;
  const [sure, unsure] = [false, true].map((mayKeepTail) =>
    plan(told, { budget: { tokens: 600 }, mayKeepTail }),
  );
  assert.ok(sure && unsure);
  assert.ok(count(unsure.text, "src/early") > count(sure.text, "src/early"), unsure.text);
  assert.ok(count(unsure.text, "src/late") > 0, unsure.text);
});

test("what stays among the removed messages is not said again, and is remembered for the next compaction [hooks.kept-tail]", () => {
  const told = conversation(
    user("Look at docs/plan-b.md and TKT-4711."),
    calls("edit_file", { path: "src/old.ts" }),
    result("ok"),
  );
  const { text, memory } = plan(told, { among: new Set([1]) });
  assert.doesNotMatch(text, /Other paths|Ids/);
  assert.ok(memory?.names.some((name) => name.text === "docs/plan-b.md"));
});

test("says what still runs and how to reach it, and not what only looked at it [controller.checkpoint]", () => {
  const { text } = plan(
    conversation(
      calls("Bash", { command: "npm run dev", run_in_background: true }, "1"),
      result("Command running in background with ID: b4f21", "1"),
      calls("TaskOutput", { task_id: "b4f21" }, "2"),
      calls("Task", { description: "Write the parser", run_in_background: true }, "3"),
      result("The agent has no id for now.", "3"),
    ),
  );
  const running = "Still running: Write the parser (Task, not finished); npm run dev (Bash, id b4f21)";
  assert.ok(text.includes(`${running}\n`), text);
});
