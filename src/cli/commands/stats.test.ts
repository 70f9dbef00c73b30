import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runNode } from "../../../test/support/command-line.ts";
import { openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { planCheckpoint } from "../../compaction/checkpoint.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import type { Receipt } from "../../engine/records.ts";
import { commitReceipt } from "../../sessions/commit-receipt.ts";

const cli = join(import.meta.dirname, "../../cli.ts");
const file = "/shop/src/tax.ts";

const receipt: Receipt = {
  epoch: 1,
  trigger: "host",
  from: 1,
  to: 4,
  summaryBy: "unknown",
  warning: "none",
  skipped: "",
  tokensBefore: 1_000,
  tokensAfter: 100,
  counts: { kept: 5, recallable: 3, missing: 1 },
  kept: [],
  recallable: [],
  missing: [],
  putBack: [{ kind: "path", text: file }],
  needs: [],
  line: "",
};

/** A conversation that reads a file, is compacted, and edits the file without reading it again. */
function transcript(project: string): string {
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 1_000,
    cache_creation_input_tokens: 0,
    output_tokens: 9,
  };
  const common = {
    cwd: project,
    sessionId: "first",
    isSidechain: false,
    timestamp: new Date().toISOString(),
  };
  const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });
  const call = (id: string, name: string) => ({
    type: "assistant",
    requestId: id,
    message: {
      id,
      role: "assistant",
      model: "claude-sonnet-4-5",
      usage,
      content: [{ type: "tool_use", id, name, input: { file_path: file } }],
    },
  });
  const result = (id: string, content: string) => user([{ type: "tool_result", tool_use_id: id, content }]);
  const lines = [
    user("Fix the tax"),
    call("1", "Read"),
    result("1", "export const rate = 0.19;\n".repeat(40)),
    { type: "system", subtype: "compact_boundary" },
    { ...user("Summary."), isCompactSummary: true },
    user("Go on"),
    call("2", "Edit"),
    result("2", "ok"),
  ];
  return lines.map((line, index) => JSON.stringify({ uuid: `u${index}`, ...common, ...line })).join("\n");
}

test("stats counts compactions, items put back, reads avoided, tokens and money of the period [people.stats]", async () => {
  const home = temporaryDirectory();
  const project = join(home, "shop");
  const [folder, directory] = [join(home, ".claude/projects/shop"), join(project, ".holdfast")];
  for (const path of [folder, directory, join(project, ".git")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, "first.jsonl"), transcript(project));
  const memory = await openTestMemory({ store: join(home, "memory.db"), clock: Date.now });
  const session = await memory.createSession({ id: "claude-code.first" });
  await session.notepad.write("- the rate is in tax.ts", { actor: { kind: "agent" } });
  await session.notepad.append("- and nowhere else", { actor: { kind: "person" } });
  const state = await session.state();
  const checkpoint = planCheckpoint({ state, messages: [], to: 0, countTokens: estimateTokens });
  await session.apply({ type: "context.checkpoint", checkpoint });
  await commitReceipt(session, receipt);
  await memory.close();

  const run = (...args: string[]) =>
    runNode([cli, "stats", "--db", join(home, "memory.db"), ...args], process.execPath, {
      cwd: project,
      env: { HOME: home },
    });
  const { code, stdout, stderr } = await run("--json");
  assert.equal(code, 0, stderr);
  const { since: _since, recorded, ...stats } = JSON.parse(stdout);
  assert.deepEqual(stats, {
    sessions: 1,
    writes: { agent: 1, person: 1 },
    compactions: 1,
    items: { kept: 5, recallable: 3, missing: 1, putBack: 1 },
  });
  assert.equal(recorded.conversations, 1);
  assert.equal(recorded.calls, 2);
  assert.ok(recorded.took.tokens > 20 && recorded.took.dollars > 0, stdout);
  assert.equal(recorded.filesUsedAgain.unread, 1);
  assert.ok(recorded.filesUsedAgain.unreadTokens > 200, stdout);
  assert.equal(recorded.filesUsedAgain.readAgain, 0);

  const shown = await run();
  assert.match(shown.stdout, /Compactions survived +1\n/);
  assert.match(shown.stdout, /Repeated reads avoided +1 file, \d+ tokens, \$\d/);
});
