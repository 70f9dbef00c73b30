import assert from "node:assert/strict";
import { test } from "node:test";
import { toolResultsOf } from "../../context/conversation.ts";
import { HoldfastError } from "../../errors.ts";
import { readRecordedSession } from "./recorded-session.ts";

const jsonl = (...lines: unknown[]) =>
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");

const usage = (input: number, cacheRead: number, cacheWrite: number, output: number) => ({
  input,
  cacheRead,
  cacheWrite,
  output,
});

const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00Z" };
/** A session of pi: each entry is the child of the one before it. */
const piSession = (...entries: (object | string)[]) =>
  jsonl(
    header,
    ...entries.map((entry, index) =>
      typeof entry === "string"
        ? entry
        : { id: `e${index}`, parentId: index === 0 ? null : `e${index - 1}`, ...entry },
    ),
  );
const said = (text: string) => ({
  type: "message",
  timestamp: "2026-01-01T00:00:01Z",
  message: { role: "user", content: [{ type: "text", text }] },
});
const answered = (text: string, counted = usage(1, 2, 3, 4)) => ({
  type: "message",
  timestamp: "2026-01-01T00:00:05Z",
  message: { role: "assistant", model: "m", content: [{ type: "text", text }], usage: counted },
});

test("pi: calls, messages, results and compactions", async () => {
  const session = await readRecordedSession(
    piSession(
      said("one"),
      {
        type: "message",
        message: {
          role: "assistant",
          model: "m",
          content: [{ type: "toolCall", id: "t1", name: "bash", arguments: { command: "ls" } }],
          usage: usage(10, 0, 0, 5),
        },
      },
      {
        type: "message",
        message: {
          role: "toolResult",
          toolCallId: "t1",
          toolName: "bash",
          content: [{ type: "text", text: "a\nb" }],
        },
      },
      answered("done"),
      { type: "compaction", summary: "short", firstKeptEntryId: "e3" },
      said("two"),
      answered("broken off", usage(0, 0, 0, 0)),
      answered("again"),
    ),
  );
  assert.equal(session.format, "pi");
  assert.deepEqual(
    session.calls.map(({ messages }) => messages),
    [1, 3, 6],
    "the call that was broken off before anything was counted is none",
  );
  assert.deepEqual(session.compactions, [{ messages: 4, keptFrom: 3, summary: "short" }]);
  assert.deepEqual(session.messages.flatMap(toolResultsOf), [
    { key: "r3_1", id: "t1", tool: "bash", message: 3, text: "a\nb", isError: false },
  ]);
});

test("pi: only the branch that ends in the last entry", async () => {
  const entry = (id: string, parentId: string | null, line: object) => ({ ...line, id, parentId });
  const session = await readRecordedSession(
    jsonl(
      header,
      entry("a0000001", null, said("one")),
      entry("a0000002", "a0000001", answered("left branch", usage(100, 0, 0, 1))),
      entry("a0000003", "a0000001", answered("right branch", usage(7, 0, 0, 1))),
      entry("a0000004", "a0000003", { type: "compaction", summary: "s", firstKeptEntryId: "a0000003" }),
      entry("a0000005", "a0000004", said("two")),
      entry("a0000006", "a0000005", answered("end")),
    ),
  );
  assert.deepEqual(
    session.calls.map((call) => call.usage.input),
    [7, 1],
  );
  assert.deepEqual(session.compactions, [{ messages: 2, keptFrom: 1, summary: "s" }]);
});

const line = (type: string, uuid: string, message: object, more: object = {}) => ({
  type,
  uuid,
  sessionId: "s",
  timestamp: "2026-01-01T00:00:00Z",
  message,
  ...more,
});
const counted = (output: number) => ({
  input_tokens: 3,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 100,
  output_tokens: output,
});

test("Claude Code: counts several lines of one call once, and skips sidechains and copied lines", async () => {
  const block = (content: object, output: number) => ({
    id: "msg_1",
    model: "claude-opus-4-5",
    role: "assistant",
    content: [content],
    usage: counted(output),
  });
  const use = block({ type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } }, 90);
  const session = await readRecordedSession(
    jsonl(
      { type: "file-history-snapshot", messageId: "x" },
      line("user", "1", { role: "user", content: "hello" }),
      line("assistant", "2", block({ type: "text", text: "let me see" }, 2), { requestId: "r1" }),
      line("assistant", "3", use, { requestId: "r1" }),
      line("assistant", "3", use, { requestId: "r1" }),
      line("assistant", "4", block({ type: "text", text: "aside" }, 5), {
        requestId: "r2",
        isSidechain: true,
      }),
      line("user", "5", {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "body" }] }],
      }),
      line("user", "6", { role: "user", content: "earlier: …" }, { isCompactSummary: true }),
      line("assistant", "7", { ...block({ type: "text", text: "done" }, 7), id: "msg_2" }),
    ),
  );
  assert.equal(session.format, "claude-code");
  assert.deepEqual(
    session.calls.map(({ usage: { output }, messages }) => ({ output, messages })),
    [
      { output: 90, messages: 1 },
      { output: 7, messages: 4 },
    ],
  );
  assert.deepEqual(
    session.messages.flatMap(toolResultsOf).map(({ tool, text }) => [tool, text]),
    [["Read", "body"]],
  );
  assert.deepEqual(session.compactions, [{ messages: 4, keptFrom: 4, summary: "earlier: …" }]);
});

test("skips unreadable lines", async () => {
  const last = { ...answered("ok"), parentId: "e0" };
  const session = await readRecordedSession(piSession(said("one"), '{"type":"mess', "[1]", last));
  assert.equal(session.messages.length, 2);
  assert.equal(session.calls.length, 1);
});

test("reads a line of several megabytes, and skips a longer one", async () => {
  const long = await readRecordedSession(piSession(said("x".repeat(5_000_000)), answered("ok")));
  assert.equal(long.messages.length, 2);
  const last = { ...answered("ok"), parentId: null };
  const endless = await readRecordedSession(piSession(said("x".repeat(65_000_000)), last));
  assert.equal(endless.messages.length, 1);
});

test("rejects a file that is not a transcript and says what to do", async () => {
  const cases: [text: string, message: RegExp][] = [
    ["", /is empty\. Pass a \.jsonl file from/],
    ["\n \n", /is empty/],
    ["not json", /no line with a JSON object\. Line 1: Skipped/],
    ['{"hello":1}', /is not a recorded session of Claude Code or Codex or opencode or pi/],
    [jsonl({ ...header, version: 2 }), /version 2.*Open the session once with pi/],
  ];
  for (const [text, message] of cases) {
    await assert.rejects(
      () => readRecordedSession(text),
      (error) =>
        error instanceof HoldfastError && error.code === "invalid_input" && message.test(error.message),
      JSON.stringify(text.slice(0, 60)),
    );
  }
});
