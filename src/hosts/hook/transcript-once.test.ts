import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hookProject } from "../../../test/support/hook.ts";
import { objectIn } from "../../engine/json.ts";
import { driverStory } from "../../testing/index.ts";
import { readWorkspaceConfig } from "../../workspace/config.ts";
import { findProject } from "../../workspace/project.ts";
import type { Host } from "../host.ts";
import { hostNamed } from "../hosts.ts";
import { transcriptLines } from "../test-support/driver-transcripts.ts";
import { type HookReply, readHookEvent } from "./event.ts";
import { runHook } from "./run-hook.ts";

test("[hooks.once] a compaction parses each line of the transcript once, and its end for the usage", async () => {
  const project = await hookProject();
  const transcript_path = join(project.root, "transcript.jsonl");
  const lines = (transcriptLines["claude-code"]?.(driverStory.messages) ?? []).map(
    (line): Record<string, unknown> => ({
      ...line,
      message: { ...objectIn(line.message), usage: { input_tokens: 9_000 } },
    }),
  );
  const sinceUsage = lines.length - lines.findLastIndex(({ type }) => type === "assistant");
  writeFileSync(transcript_path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const claude = hostNamed("claude-code");
  const { transcript } = claude;
  assert.ok(transcript);
  let parsed = 0;
  const counted: Host = {
    ...claude,
    transcript: {
      ...transcript,
      readLine: (line) => {
        parsed++;
        return transcript.readLine(line);
      },
    },
  };
  const send = async (hook_event_name: string, more = {}): Promise<HookReply> => {
    const payload = { hook_event_name, session_id: "s1", cwd: project.root, transcript_path, ...more };
    let reply: HookReply = {};
    await runHook({
      event: readHookEvent(counted, payload),
      project: findProject(project.root),
      config: readWorkspaceConfig(project),
      answer: (given) => {
        reply = given;
      },
      fail: (error) => assert.fail(String(error)),
    });
    return reply;
  };
  await send("SessionStart", { source: "startup" });
  await send("PreCompact", { trigger: "auto" });
  assert.equal(parsed, lines.length + sinceUsage);
  const summary = { isCompactSummary: true, type: "user", uuid: "sum", message: { content: "Tabs work." } };
  appendFileSync(transcript_path, `${JSON.stringify(summary)}\n`);
  await send("PostCompact");
  const { context = "" } = await send("SessionStart", { source: "compact" });
  assert.match(context, /\[Receipt: 6 messages/);
  assert.equal(parsed, lines.length + sinceUsage + 1, "the summary that was added, and nothing again");
});
