import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readTranscript } from "./read-transcript.ts";
import { replay } from "./replay.ts";
import type { PolicyRow, Report } from "./report.ts";
import { exampleTranscript } from "./test-support/example-transcript.ts";

const data = join(import.meta.dirname, "../../../shared/data");

/** Third-party recordings are not part of the repository; if they are missing, the test reports that and passes. */
function recording(t: TestContext, path: string): string | undefined {
  const file = join(data, path);
  if (existsSync(file)) return readFileSync(file, "utf8");
  t.diagnostic(`${file} is missing, so the test measured nothing`);
  return undefined;
}

function rowOf({ rows }: Report, filter: Partial<PolicyRow>): PolicyRow {
  const row = rows.find(
    ({ placement, clearing, compaction }) =>
      placement === (filter.placement ?? "none") &&
      clearing === (filter.clearing ?? false) &&
      compaction === (filter.compaction ?? false),
  );
  assert.ok(row);
  return row;
}

/** The parts of what `epoch` costs add up to what its row says. */
function assertPartsAddUp({ calls, epoch }: Report, bare: PolicyRow, row: PolicyRow): void {
  const { read, written, changes } = epoch;
  assert.ok(Math.abs(read.cost + written.cost + changes - (row.cost - bare.cost)) < 1e-9);
  assert.equal(read.calls + written.calls, calls);
  assert.ok(read.cost > 0 && written.cost > 0 && changes > 0);
}

/** `compaction`: whether the recording has compactions, and so which rows to compare with its cost. */
const sessions = [
  { file: "pi-mono/before-compaction.jsonl", cost: 42.6, compaction: true },
  { file: "pi-mono/large-session.jsonl", cost: 30.33, compaction: false },
];

for (const { file, cost, compaction } of sessions) {
  test(`${file}: reproduces the recorded cost, clearing saves, and epoch costs almost nothing [replay.recorded] [replay.epoch] [replay.checkpoints] [replay.clearing]`, async (t) => {
    const text = recording(t, file);
    if (text === undefined) return;
    const report = replay(await readTranscript(text));
    assert.ok(Math.abs((report.recorded ?? 0) - cost) < 0.01);
    assert.ok(Math.abs(report.reproduced / (report.recorded ?? 0) - 1) < 0.01);
    assert.ok(Math.abs(rowOf(report, { compaction }).cost / report.reproduced - 1) < 0.001);
    assert.equal(report.rows.length, 16);

    const cleared = rowOf(report, { compaction, clearing: true });
    t.diagnostic(`clearing: ${cleared.vsNoClearing.toFixed(3)}, bound ${cleared.bound?.cost.toFixed(2)}`);
    assert.ok(cleared.vsNoClearing <= 0.8, "clearing is at least 20 % cheaper than none");
    for (const row of report.rows) {
      if (row.bound)
        assert.ok(row.bound.cost <= row.cost && row.bound.exact, `${row.placement}: the bound holds`);
    }

    const epoch = rowOf(report, { compaction, placement: "epoch" });
    assert.ok(epoch.cost < rowOf(report, { compaction, placement: "message" }).cost);
    assert.ok(epoch.cost < rowOf(report, { compaction, placement: "system" }).cost);
    t.diagnostic(`epoch: ${epoch.vsNoMemory.toFixed(4)}`);
    assert.ok(epoch.vsNoMemory <= 1.02, "at most 2 % more expensive than no memory");

    assertPartsAddUp(
      report,
      rowOf(report, { compaction: true }),
      rowOf(report, { compaction: true, placement: "epoch" }),
    );
    const { compactions, tokens } = report.checkpoints;
    const { checkpoints } = report.epoch;
    assert.ok(compactions > 0 && tokens === 2_000 && checkpoints > 0);
    const bare = rowOf(report, { compaction }).cost;
    t.diagnostic(
      `${compactions} checkpoints: ${checkpoints.toFixed(3)}, × ${(checkpoints / bare).toFixed(4)}`,
    );
    assert.ok(checkpoints / bare <= 0.012, "a full checkpoint after each compaction costs about 1 %");

    const { summaries, inPlace, separate } = report.summaries;
    t.diagnostic(`${summaries} summaries: ${inPlace.toFixed(3)} in place, ${separate.toFixed(3)} separate`);
    assert.ok(summaries > 0 && inPlace < separate, "a summary in place reads its prompt from the cache");
  });
}

interface Shape {
  ev: {
    t: string;
    k?: string;
    n?: number;
    tool?: string;
    c?: number;
    u?: [number, number, number, number];
  }[];
}

/** A Claude Code session with the recorded shape and generated text. */
function inflate({ ev: events }: Shape): string {
  const words = (count = 0) =>
    "parse the config file and return it ".repeat(Math.ceil(count / 36)).slice(0, count);
  const open: string[] = [];
  const lines = events.map(({ t: type, k: kind, n: length, tool, c: call, u: counts }, index) => {
    const line = { uuid: `${index}`, sessionId: "shape", type: type === "a" ? "assistant" : "user" };
    const content = words(length);
    if (type === "compact") return { ...line, isCompactSummary: true, message: { role: "user", content } };
    if (type === "a") {
      const [input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens] =
        counts ?? [];
      const usage = { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens };
      if (kind === "tool_use") open.push(`${index}`);
      const block =
        kind === "tool_use"
          ? { type: kind, id: `${index}`, name: tool, input: { content } }
          : { type: kind, text: content, thinking: content };
      return {
        ...line,
        requestId: `${call}`,
        message: { id: `${call}`, model: "claude-opus-4-5", content: [block], usage },
      };
    }
    const block = { type: "tool_result", tool_use_id: open.shift() ?? `${index}`, content };
    return { ...line, message: { role: "user", content: kind === "tool_result" ? [block] : content } };
  });
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

test("27 Claude Code sessions: each call counts once, and clearing saves overall", async (t) => {
  const text = recording(t, "m-claude-shapes/claude-code-shapes.jsonl");
  if (text === undefined) return;
  const totals = { kept: 0, cleared: 0, bound: 0 };
  for (const line of text.trim().split("\n")) {
    const shape = JSON.parse(line) as Shape;
    const calls = new Map(
      shape.ev.flatMap(({ c: call, u: counts }) => (call === undefined || !counts ? [] : [[call, counts]])),
    );
    const prompts = [...calls.values()].map(([input, written, read]) => input + written + read);
    const report = replay(await readTranscript(inflate(shape)));
    assert.equal(report.calls, prompts.filter((tokens) => tokens > 0).length);
    const compaction = report.compaction.mode === "recorded";
    const { tokens, cost } = rowOf(report, { compaction });
    const counted = tokens.input + tokens.cacheWrite + tokens.cacheRead;
    assert.ok(Math.abs(counted - prompts.reduce((sum, tokens) => sum + tokens, 0)) < 1);
    const cleared = rowOf(report, { compaction, clearing: true });
    assert.ok((cleared.bound?.cost ?? 0) <= cleared.cost + 1e-9);
    assert.ok(cleared.cost <= cost * 1.05, "no session pays more than 5 % for clearing");
    totals.kept += cost;
    totals.cleared += cleared.cost;
    totals.bound += cleared.bound?.cost ?? 0;
  }
  t.diagnostic(
    `no clearing $${totals.kept.toFixed(2)}, clearing $${totals.cleared.toFixed(2)}, bound $${totals.bound.toFixed(2)}`,
  );
  assert.ok(totals.cleared < totals.kept * 0.95);
});

test("without recorded compactions, the rows with compaction compact where Holdfast would", () => {
  const transcript = exampleTranscript({ results: new Array(60).fill(600) });
  const report = replay(transcript, { contextWindow: 30_000 });
  assert.equal(report.compaction.mode, "planned");
  assert.ok(report.compaction.beforeCalls.length >= 1);
  assert.ok(rowOf(report, { compaction: true }).peak < 25_000);
  assert.ok(rowOf(report, {}).peak > 30_000);
  assert.equal(report.recorded, undefined, "the transcript records no cost");
});

test("what epoch costs is divided into parts that add up, and a call without a cache writes the notepad [replay.parts]", () => {
  const options = {
    results: new Array(60).fill(200),
    asks: [15, 25, 35, 45],
    cold: [20, 30],
    compactions: [40],
  };
  const report = replay(exampleTranscript(options));
  assertPartsAddUp(
    report,
    rowOf(report, { compaction: true }),
    rowOf(report, { compaction: true, placement: "epoch" }),
  );
  assert.equal(report.epoch.written.calls, 3, "the first call, and two without a cache");
  assert.ok(report.epoch.checkpoints > 0);
});

test("does not price a prompt that no model accepts", () => {
  const report = replay(
    exampleTranscript({ results: new Array(40).fill(30_000), compactions: [10, 20, 30] }),
  );
  assert.ok(report.uncompacted > 1_000_000);
  assert.ok(report.rows.every(({ compaction }) => compaction));
});

test("a free model still gives meaningful ratios", () => {
  const free = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };
  const report = replay(exampleTranscript({ results: [10, 20, 30] }), {
    prices: { default: free, claude: free },
  });
  assert.ok(
    report.rows.every(
      ({ cost, vsNoMemory, vsNoClearing }) => cost === 0 && vsNoMemory === 1 && vsNoClearing === 1,
    ),
  );
});
