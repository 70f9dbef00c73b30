import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, stateWith, user } from "../../../test/support/conversation.ts";
import type { StoredMessage } from "../../context/conversation.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import { planCheckpoint } from "../checkpoint.ts";
import { collapseTasks } from "./finished-tasks.ts";

const begin = (id: string, description = "Port the parser") =>
  calls("mcp__holdfast__begin_task", { description }, id);
const end = (id: string, summary = "ported, see src/parser/tokens.ts") =>
  calls("mcp__holdfast__end_task", { summary }, id);

function checkpoint(messages: StoredMessage[], to = messages.length) {
  return planCheckpoint({ state: stateWith(), messages, to, countTokens: estimateTokens });
}

/** A task with a read, a failing command and an edit; `closing` ends it, or not. */
function work(...closing: ReturnType<typeof calls>[]): StoredMessage[] {
  return conversation(
    user("Port the parser, then the printer in src/printer/print.ts."),
    begin("b"),
    result("ok", "b"),
    calls("Read", { file_path: "src/legacy/grammar.ts" }, "1"),
    result("export const legacyGrammarTable = 1;", "1"),
    calls("Bash", { command: "npm run test:parser" }, "2"),
    result("3 failing\nexit code: 1", "2"),
    calls("Edit", { file_path: "src/parser/parse.ts", new_string: "const innerDetailName = 1;" }, "3"),
    result("ok", "3"),
    ...closing,
    calls("Read", { file_path: "src/printer/print.ts" }, "4"),
    result("export function printTree() {}", "4"),
  );
}

test("a finished task collapses in the checkpoint: its outcome and written files stay, its steps make room [config.task-collapse]", () => {
  const open = checkpoint(work());
  assert.match(open.text, /src\/legacy\/grammar\.ts/);
  assert.match(open.text, /npm run test:parser/);
  assert.match(open.text, /innerDetailName/);
  const { text, filesWritten, failedCommands } = checkpoint(work(end("e"), result("ok", "e")));
  assert.doesNotMatch(text, /legacy|test:parser|innerDetailName|legacyGrammarTable/);
  assert.match(text, /Files edited: src\/parser\/parse\.ts/);
  assert.match(text, /src\/parser\/tokens\.ts/, "the outcome names it");
  assert.match(text, /src\/printer\/print\.ts/, "what follows the task stays");
  assert.match(text, /Asked and not answered yet: Port the parser, then the printer/);
  assert.deepEqual([filesWritten, failedCommands], [["src/parser/parse.ts"], []]);
});

test("a task that could not be ended, or ends in what is kept, is not collapsed [config.task-collapse]", () => {
  const failed = work(end("e"), result("There is no open task.", "e", "end_task", "error-text"));
  assert.match(checkpoint(failed).text, /src\/legacy\/grammar\.ts/);
  const messages = work(end("e"), result("ok", "e"));
  assert.deepEqual(collapseTasks(messages, 9), messages);
  const text = checkpoint(messages, 9).text;
  assert.match(text, /src\/legacy\/grammar\.ts/);
});

test("nested tasks collapse, what the user said inside stays, and so does what began before the last compaction [config.task-collapse]", () => {
  const nested = conversation(
    begin("1", "Outer"),
    begin("2", "Inner"),
    calls("Read", { file_path: "src/inner.ts" }, "3"),
    end("4", "inner done"),
    calls("Read", { file_path: "src/outer.ts" }, "5"),
    user("Keep src/kept.ts as it is."),
    says("I will."),
    end("6", "all done"),
    calls("Read", { file_path: "src/after.ts" }, "7"),
  );
  const left = JSON.stringify(collapseTasks(nested, nested.length));
  assert.doesNotMatch(left, /src\/inner|src\/outer/);
  assert.match(left, /src\/kept.*I will\..*all done.*src\/after/);
  const earlier = nested.slice(2, 5);
  assert.doesNotMatch(JSON.stringify(collapseTasks(earlier, nested.length)), /src\/inner/);
});
