import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation as history, result } from "../../test/support/conversation.ts";
import { type StoredMessage, toolResultsOf } from "../context/conversation.ts";
import { type ClearingPolicy, defaultClearing } from "../engine/agent-defaults.ts";
import { defaultLimits } from "../engine/limits.ts";
import type { RecordId } from "../engine/records.ts";
import { resultsSurface } from "../surfaces/results/tools.ts";
import { ownLoop } from "../surfaces/surface.ts";
import { coveringNotes, estimateCallsLeft, isLongEnough, planClearing } from "./clearing.ts";

const countTokens = (text: string) => text.length;

/** A question, then one call with its result for each size. */
function conversation(results: readonly { tool: string; tokens: number }[]): StoredMessage[] {
  const messages: StoredMessage["message"][] = [{ role: "user", content: "go" }];
  for (const [index, { tool: toolName, tokens }] of results.entries()) {
    const toolCallId = `t${index}`;
    messages.push({ role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input: {} }] });
    const output = { type: "text" as const, value: "x".repeat(tokens) };
    messages.push({ role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] });
  }
  return messages.map((message, index) => ({ number: index + 1, message, at: 0 }));
}

const many = (count: number, tool: string, tokens: number) =>
  Array.from({ length: count }, () => ({ tool, tokens }));

function plan(
  messages: readonly StoredMessage[],
  callsLeft: number | undefined,
  more: Partial<ClearingPolicy> = {},
  cleared: string[] = [],
) {
  const numbers = new Map(messages.flatMap(toolResultsOf).map(({ id, key }) => [id, key]));
  const ids = new Map([...numbers].map(([id, key]) => [key, id]));
  const resident = new Map<RecordId, null>(cleared.map((id) => [`cleared/${numbers.get(id)}`, null]));
  const policy = { ...defaultClearing, ...more };
  const memoryTools = new Set(["read_notepad", "write_notepad"]);
  return planClearing({
    originalOf: () => undefined,
    state: { resident },
    messages,
    callsLeft,
    memoryTools,
    writingTools: new Set(["write_notepad"]),
    countTokens,
    policy,
  }).map(({ id }) => ids.get(id));
}

test("a single result is cleared from 2,000 tokens on", () => {
  const newest = many(3, "bash", 10);
  assert.deepEqual(plan(conversation([{ tool: "bash", tokens: 2_000 }, ...newest]), 100), ["t0"]);
  assert.deepEqual(plan(conversation([{ tool: "bash", tokens: 1_999 }, ...newest]), 100), []);
});

test("smaller results that no note covers stay, unless clearing costs nothing", () => {
  const mixed = [...many(2, "grep", 1_200), ...many(2, "read", 1_200), ...many(2, "bash", 1_200)];
  const messages = conversation([...mixed, ...many(3, "edit", 3_000)]);
  assert.deepEqual(plan(messages, 100), []);
  assert.deepEqual(plan(messages, undefined), ["t0", "t1", "t2", "t3", "t4", "t5"]);
});

test("a finding about a file does not cover a file of the same name elsewhere, and an open item is no finding", () => {
  const covered = (note: string, path: string) => {
    const lines = Array.from({ length: 120 }, (_, line) => `"key${line}": ${line}`).join("\n");
    const messages = history(
      calls("read_file", { path }, "read"),
      result(lines, "read", "read_file"),
      calls("write_notepad", { content: note }, "note"),
      result("ok", "note", "write_notepad"),
    );
    const [read] = messages.flatMap(toolResultsOf);
    assert.ok(read);
    return coveringNotes(messages, new Set(["write_notepad"]))(read, { path }) !== undefined;
  };
  const found = "- packages/b/package.json: version 2.7.0, needs node 24";
  assert.equal(covered(found, "packages/a/package.json"), false);
  assert.equal(covered(found, "packages/b/package.json"), true);
  assert.equal(covered(found, "/home/me/app/packages/b/package.json"), true);
  assert.equal(covered("- package.json needs node 24", "packages/a/package.json"), true);
  assert.equal(covered("- [ ] next: edit src/auth/login.ts", "src/auth/login.ts"), false);
  assert.equal(covered("- [x] read src/auth/login.ts: it checks the expiry", "src/auth/login.ts"), true);
});

test("the newest results, excluded tools, memory tools, stubs and very short results stay", () => {
  assert.deepEqual(plan(conversation(many(5, "bash", 4_000)), 1_000), ["t0", "t1"]);
  assert.deepEqual(plan(conversation(many(5, "bash", 4_000)), 1_000, { exclude: ["bash"] }), []);
  assert.deepEqual(plan(conversation(many(5, "read_notepad", 4_000)), 1_000), []);
  assert.deepEqual(plan(conversation(many(5, "bash", 4_000)), 1_000, {}, ["t0"]), ["t1"]);
  assert.deepEqual(plan(conversation(many(200, "bash", 199)), 1_000), []);
});

test("nothing is cleared unless it saves more than the rewrite costs", () => {
  const messages = conversation([
    { tool: "bash", tokens: 4_000 },
    ...many(20, "edit", 150),
    { tool: "bash", tokens: 30_000 },
  ]);
  // Saves 3,920 tokens per call at a tenth of the price; rewrites about 33,000 at 1.15 times the price.
  assert.deepEqual(plan(messages, 80), []);
  assert.deepEqual(plan(messages, 110), ["t0"]);
});

test("a batch begins where the gain is largest", () => {
  const messages = conversation([
    { tool: "bash", tokens: 2_100 },
    ...many(20, "edit", 150),
    { tool: "bash", tokens: 9_000 },
    ...many(3, "edit", 150),
  ]);
  assert.deepEqual(plan(messages, 5), ["t21"]);
  assert.deepEqual(plan(messages, 60), ["t0", "t21"]);
});

test("calls left: as many as fit into the room, but no more than so far", () => {
  const messages = conversation(many(40, "bash", 1_000));
  assert.equal(estimateCallsLeft(messages, 10_500, countTokens), 10);
  assert.equal(estimateCallsLeft(messages, 10_000_000, countTokens), 40);
  assert.equal(estimateCallsLeft(messages, Number.POSITIVE_INFINITY, countTokens), 40);
  assert.equal(estimateCallsLeft(messages, -5, countTokens), 0);
  assert.equal(estimateCallsLeft([], 1_000, countTokens), 0);
});

test("calls left: growth is measured over the newest calls", () => {
  const messages = conversation([...many(10, "bash", 50_000), ...many(40, "bash", 100)]);
  assert.ok(estimateCallsLeft(messages, 4_000, countTokens) > 30);
});

/** A search of 30 hits, then a call with this text, then three short results. */
function searchThen(tool: string, content: string): StoredMessage[] {
  const hits = Array.from({ length: 30 }, (_, line) => `src/auth/jwt.ts:${line}: ${"x".repeat(20)}`);
  const [user, ...rest] = conversation([{ tool: "grep", tokens: 1 }, ...many(4, "edit", 10)]);
  const messages = [user, ...rest].flatMap((stored) => (stored ? [stored] : []));
  return messages.map((stored): StoredMessage => {
    const { number } = stored;
    if (number === 3) return { ...stored, message: resultOf("t0", "grep", hits.join("\n")) };
    if (number !== 4) return stored;
    const call = { type: "tool-call" as const, toolCallId: "t1", toolName: tool, input: { content } };
    return { ...stored, message: { role: "assistant", content: [call] } };
  });
}

function resultOf(toolCallId: string, toolName: string, value: string): StoredMessage["message"] {
  const output = { type: "text" as const, value };
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
}

test("a result of any size is cleared once the notes name its content [controller.results-worked-in]", () => {
  const named = "- token expiry is checked in src/auth/jwt.ts";
  assert.deepEqual(plan(searchThen("write_notepad", named), 100), ["t0"]);
  assert.deepEqual(
    plan(searchThen("write_notepad", "- look at the tokens"), 100),
    [],
    "nothing of it is named",
  );
  assert.deepEqual(plan(searchThen("read_notepad", named), 100), [], "nothing was written");
  assert.deepEqual(plan(searchThen("edit", named), 100), [], "that is not a memory tool");
  assert.deepEqual(
    plan(searchThen("write_notepad", named), 100, { keepLast: 5 }),
    [],
    "it is among the newest",
  );
  assert.deepEqual(plan(searchThen("write_notepad", named), 1), [], "it does not pay");
});

test("the stub of a result that the notes cover is the finding, with where it was logged [project.stubs]", () => {
  const found = "Found 47 AuthService references across 12 files, the key ones in src/auth/jwt.ts.";
  const stubOf = (tool: string, input: unknown) => {
    const grep = { command: "grep -rn AuthService src" };
    const lines = Array.from({ length: 47 }, (_, at) => `src/auth/jwt.ts:${at}: AuthService`).join("\n");
    const messages = history(
      calls("bash", grep, "grep"),
      result(lines, "grep", "bash"),
      calls(tool, input, "note"),
      result("ok", "note", tool),
      ...["a", "b", "c"].flatMap((id) => [calls("edit", {}, id), result("done", id, "edit")]),
    );
    const [first] = planClearing({
      originalOf: () => undefined,
      state: { resident: new Map() },
      messages,
      callsLeft: 100,
      memoryTools: new Set([tool]),
      writingTools: new Set([tool]),
      countTokens,
      policy: { ...defaultClearing, leastTokens: 100 },
    });
    return first?.summary;
  };
  assert.equal(
    stubOf("log_entry", { kind: "debt", text: found }),
    "Found 47 AuthService references across 12 files, the key ones in src/auth/jwt.ts. Logged to NOTES.md.",
  );
  assert.equal(
    stubOf("update_notepad", { operation: "append", content: found }),
    "Found 47 AuthService references across 12 files, the key ones in src/auth/jwt.ts. Saved with update_notepad.",
  );
  assert.equal(stubOf("add_note", { content: "A plan" }), undefined, "without a finding it stays");
});

test("two sentences explain the attention budget where results can be cleared [project.attention]", () => {
  const guidance = (keepsConversation: boolean) =>
    resultsSurface.guidance(defaultLimits, { ...ownLoop, keepsConversation }, ["results"]);
  const sentences = guidance(true).split(/(?<=\.) /);
  assert.equal(sentences.length, 2);
  assert.match(sentences[0] ?? "", /budget for reasoning, plans, the user's words and quoted code/);
  assert.match(sentences[1] ?? "", /note what you found and call clear_result/);
  assert.doesNotMatch(guidance(false), /budget/);
});

test("a search of at most 20 lines and a file of at most 100 stay, others have no such limit [controller.results-kinds]", () => {
  const lines = (count: number) => "line\n".repeat(count);
  const isCommandLong = (command: string, count: number) => isLongEnough("bash", { command }, lines(count));
  for (const command of [
    'rg "TODO" --type ts',
    "cd app && grep -rn token src",
    "find . -name '*.ts' -newer x",
  ])
    assert.deepEqual([isCommandLong(command, 20), isCommandLong(command, 21)], [false, true], command);
  for (const command of ["cat src/index.ts", "sed -n 1,200p src/index.ts"])
    assert.deepEqual([isCommandLong(command, 100), isCommandLong(command, 101)], [false, true], command);
  for (const command of ["tree -L 3", "npm test", "curl localhost", "git status"])
    assert.equal(isCommandLong(command, 1), true, command);
  assert.deepEqual(
    [20, 21].map((count) => isLongEnough("search_files", {}, lines(count))),
    [false, true],
  );
  assert.deepEqual(
    [100, 101].map((count) => isLongEnough("read_file", {}, lines(count))),
    [false, true],
  );
  assert.equal(isLongEnough("run_tests", {}, "x"), true);
});
