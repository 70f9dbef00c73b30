import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, stateWith, user } from "../../test/support/conversation.ts";
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
  return { format: "pi", messages: conversation(...before, ...after), calls: [], compactions, warnings: [] };
}

test("a recorded compaction: what its summary and our checkpoint kept, and what was read again unchanged [replay.survival]", () => {
  const [cut, ...more] = measureSurvival(session("The user works on src/parser.ts."), { state: stateWith() });
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
  assert.deepEqual(measureSurvival(session(undefined), { state: stateWith() }), []);
  const [cut] = measureSurvival(session(undefined), { state: stateWith(), contextWindow: 40 });
  assert.equal(cut?.kind, "simulated");
  assert.equal(cut?.inSummary, undefined);
});
