import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { startScriptedModel } from "../doctor/scripted-model.ts";
import { findLink } from "../session-link.ts";
import { count, installClient, makePlace, run, useDoctorModel } from "../test-support/clients.ts";

const spec = "@anthropic-ai/claude-code@2.1.325";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

test(`${spec}: a note survives a compaction and is not repeated`, { timeout: 180_000 }, async () => {
  const place = makePlace("claude-code");
  const model = await startScriptedModel();
  stops.push(model.close);
  await useDoctorModel("claude-code", place, model);
  const program = join(installClient(spec), "node_modules/@anthropic-ai/claude-code/bin/claude.exe");
  const say = (...words: string[]) => run(program, ["-p", ...words], place);

  await say(`Where is src/ledger.ts? ${"pad ".repeat(3_000)}`);
  assert.match(model.requests[0]?.body ?? "", /mcp__holdfast__write_notepad/);
  const directory = findProject(place.root).directory;
  const link = findLink({ directory, cwd: place.root }, "claude-code");
  assert.ok(link, "the hooks recorded the session");
  const memory = await openMemory({ store: join(directory, "memory.db") });
  await (await memory.openSession(link.session)).notepad.append("the ledger is cedar-4711");
  await memory.close();

  await say("--continue", "/compact");
  const asked = model.requests.length;
  await say("--continue", "Go on.");
  const first = model.requests[asked]?.body ?? "";
  assert.match(first, /## Session Notepad\\nthe ledger is cedar-4711/);
  assert.match(first, /\[Handoff[\s\S]*\[Receipt: /);
  assert.ok(count(first, "pad ") < 1_000, "the long message is cut in the handoff, and nowhere else");
  const notice = "Holdfast restored 1 of your messages and the notepad.";
  assert.match(
    claudeTranscripts(place.home),
    new RegExp(`"type":"hook_system_message","content":"${notice}`),
  );
  assert.ok(!first.includes(notice), "the notice is for the user alone");
  await say("--continue", "And on.");
  assert.equal(count(model.requests.at(-1)?.body ?? "", "the ledger is cedar-4711"), 1, "once only");
});

/** The transcript of a conversation in Claude Code, with the lines that only the user sees. */
function claudeTranscripts(home: string): string {
  return globSync(".claude/projects/*/*.jsonl", { cwd: home })
    .map((file) => readFileSync(join(home, file), "utf8"))
    .join("\n");
}
