import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, stateWith, user } from "../../test/support/conversation.ts";
import { readRecording } from "./read-transcript.ts";
import { measureSurvival } from "./survival.ts";
import type { Transcript } from "./transcript.ts";

const before = [
  user("Make src/parser.ts accept tabs."),
  calls("read_file", { path: "src/parser.ts" }, "1"),
  result("export function parseLine() {}", "1"),
  calls("bash", { command: "npm run check-tabs -- --strict" }, "2"),
  result("ok", "2"),
];
const after = [
  calls("read_file", { path: "src/parser.ts" }, "3"),
  result("export function parseLine() {}", "3"),
  calls("bash", { command: "npm run check-tabs -- --strict" }, "4"),
  result("ok", "4"),
  says("Done."),
];

function session(summary: string | undefined): Transcript {
  const compactions = summary === undefined ? [] : [{ messages: 5, keptFrom: 5, summary }];
  return {
    format: "pi",
    messages: conversation(...before, ...after),
    calls: [],
    compactions,
    contexts: [],
    warnings: [],
  };
}

test("a recorded compaction: what its summary and our checkpoint kept, and what was read again unchanged [replay.survival]", () => {
  const summary = "The user works on src/parser.ts.";
  const [cut, ...more] = measureSurvival(session(summary), { state: stateWith() }).cuts;
  assert.ok(cut);
  assert.equal(more.length, 0);
  const { kind, messages, needed, inSummary, inCheckpoint, rescued } = cut;
  assert.deepEqual(
    { kind, messages, needed, inSummary, inCheckpoint },
    {
      kind: "recorded",
      messages: 5,
      needed: 2,
      inSummary: 1,
      inCheckpoint: 2,
    },
  );
  assert.deepEqual(rescued, ["--strict"]);
  assert.equal(cut.readAgain.calls, 1);
  assert.ok(cut.readAgain.tokens > 0 && cut.readAgain.cost > 0);
});

test("a session that fills the window is compacted in simulation; a short one is not [replay.survival]", () => {
  assert.deepEqual(measureSurvival(session(undefined), { state: stateWith() }).cuts, []);
  const [cut] = measureSurvival(session(undefined), { state: stateWith(), contextWindow: 80 }).cuts;
  assert.equal(cut?.kind, "simulated");
  assert.equal(cut?.inSummary, undefined);
});

/** A session whose recorded contexts grow by this many tokens with each call; each message has 5,000 characters. */
function recordedSession(format: string, growth: number, length = 40): Transcript {
  const text = "word ".repeat(1_000);
  const pairs = Array.from({ length }, (_, index) => [
    calls("bash", { command: `run step-${index}` }, String(index)),
    result(text, String(index)),
  ]);
  const usage = (call: number) => ({
    input: growth * (call + 1) - 10,
    cacheWrite: 0,
    cacheRead: 0,
    output: 10,
  });
  return {
    format,
    messages: conversation(user("Go on"), ...pairs.flat()),
    calls: pairs.map((_, call) => ({
      model: "",
      cost: undefined,
      messages: 1 + 2 * call,
      askedAt: 0,
      answeredAt: 0,
      usage: usage(call),
    })),
    compactions: [],
    contexts: [],
    warnings: [],
  };
}

test("simulated compactions follow the host's threshold, by recorded tokens [replay.survival-host]", () => {
  for (const [format, limit] of [
    ["claude-code", 167_000],
    ["codex", 180_000],
    ["opencode", 168_000],
    ["pi", 183_616],
  ] as const) {
    const { compactsAt, cuts } = measureSurvival(recordedSession(format, 4_800), { state: stateWith() });
    assert.equal(compactsAt, limit);
    assert.equal(cuts.length, 1, format);
    const over = (cuts[0]?.contextTokens ?? 0) - limit;
    assert.ok(over > 0 && over <= 4_800, `${format}: ${over} tokens beyond`);
  }
});

test("the counts and the window that Codex records decide, not an estimate [replay.survival-host]", async () => {
  const line = (type: string, payload: object) =>
    `${JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", type, payload })}\n`;
  const step = (id: string, total: number) =>
    [
      line("response_item", { type: "function_call", call_id: id, name: "shell", arguments: "{}" }),
      line("event_msg", {
        type: "token_count",
        info: { last_token_usage: { total_tokens: total }, model_context_window: 258_400 },
      }),
      line("response_item", { type: "function_call_output", call_id: id, output: "ok" }),
    ].join("");
  const text = [step("1", 100_000), step("2", 250_000), step("3", 20_000)].join("");
  const survival = measureSurvival(await readRecording(text), { state: stateWith() });
  const { contextWindow, compactsAt, largestContext, cuts } = survival;
  assert.deepEqual([contextWindow, compactsAt, largestContext], [272_000, 244_800, 250_000]);
  assert.deepEqual(
    cuts.map(({ kind, messages }) => [kind, messages]),
    [["simulated", 4]],
  );
});

test("a context below the host's threshold is not compacted, and the report says how long it was [replay.survival-host]", () => {
  const survival = measureSurvival(recordedSession("pi", 4_590), { state: stateWith() });
  assert.deepEqual(survival, {
    contextWindow: 200_000,
    compactsAt: 183_616,
    largestContext: 183_600,
    cuts: [],
  });
});

test("a simulated compaction keeps what the host keeps [replay.survival-host]", () => {
  const kept = (format: string) =>
    measureSurvival(recordedSession(format, 4_800), { state: stateWith() }).cuts[0]?.keptMessages ?? -1;
  assert.equal(kept("claude-code"), 0);
  assert.equal(kept("codex"), 1, "what the user said");
  const tail = kept("pi");
  assert.ok(tail >= 30 && tail <= 36, `20,000 tokens are about 16 results of 1,250: ${tail}`);
});

test("a compaction after which nothing was needed is shown, and a recorded one does not depend on the window [replay.survival-host]", () => {
  const quiet = measureSurvival(recordedSession("claude-code", 4_800), { state: stateWith() }).cuts;
  assert.deepEqual(
    quiet.map(({ needed }) => needed),
    [0],
  );
  const recorded = (contextWindow?: number) =>
    measureSurvival(session("src/parser.ts"), { state: stateWith(), contextWindow }).cuts.filter(
      ({ kind }) => kind === "recorded",
    );
  assert.deepEqual(recorded(40), recorded());
});

test("where the host's own compactions are recorded, none is simulated before them [replay.survival-host]", () => {
  const whole = recordedSession("pi", 4_800);
  const recorded = { ...whole, compactions: [{ messages: 81, keptFrom: 60, summary: "Steps." }] };
  const { cuts } = measureSurvival(recorded, { state: stateWith() });
  assert.deepEqual(
    cuts.map(({ kind, messages, keptMessages }) => [kind, messages, keptMessages]),
    [["recorded", 81, 21]],
  );
});

test("a name inside a longer word of the summary is not kept [replay.survival]", () => {
  const [cut] = measureSurvival(session("The --strictness of src/parser.tsx."), { state: stateWith() }).cuts;
  assert.equal(cut?.inSummary, 0);
});
