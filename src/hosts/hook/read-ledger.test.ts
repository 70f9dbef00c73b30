import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type HookProject, hook, hookProject } from "../../../test/support/hook.ts";
import { answered, lines, said } from "./test-support/transcripts.ts";

const numbered = (text: string) =>
  text
    .split("\n")
    .map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
    .join("\n");

/** The text for the summariser of the host, which contains the checkpoint. */
async function checkpointOf(
  project: HookProject,
  transcript_path: string,
  session_id: string,
): Promise<string> {
  const event = { session_id, transcript_path };
  await hook(project, "claude-code", { ...event, hook_event_name: "SessionStart", source: "startup" });
  const more = { hook_event_name: "PreCompact", trigger: "auto", custom_instructions: "" };
  return (await hook(project, "claude-code", { ...event, ...more })).stdout;
}

test("a hook says which files changed since they were read, and unchanged only of those that show no difference [controller.read-ledger-drivers]", async () => {
  const project = await hookProject();
  const at = (path: string) => join(project.root, path);
  mkdirSync(at("src"));
  for (const path of ["same.ts", "ends.ts", "gone.ts", "grown.ts"])
    writeFileSync(at(`src/${path}`), "one\ntwo\n");
  const paths = [
    at("src/same.ts"),
    "src/same.ts",
    "./src/same.ts",
    "src/ends.ts",
    "src/gone.ts",
    "src/grown.ts",
  ];
  const reads = paths.flatMap((file_path, index) => [
    answered(`a${index}`, [{ type: "tool_use", id: `c${index}`, name: "Read", input: { file_path } }]),
    said(`r${index}`, [{ type: "tool_result", tool_use_id: `c${index}`, content: numbered("one\ntwo") }]),
  ]);
  // A test cannot set the time at which a file was touched, so it sets that of the reads.
  const story = (file: string, minutes: number) => {
    const timestamp = new Date(Date.now() + minutes * 60_000).toISOString();
    const timed = [said("1", "Read these files."), ...reads].map((line) => ({ ...line, timestamp }));
    writeFileSync(at(file), lines(...timed));
    return at(file);
  };
  assert.match(
    await checkpointOf(project, story("later.jsonl", 1), "s1"),
    /^Files read, unchanged on disk at the compaction: src\/same\.ts; src\/grown\.ts; src\/gone\.ts; src\/ends\.ts$/m,
  );
  const earlier = story("earlier.jsonl", -1);
  rmSync(at("src/gone.ts"));
  writeFileSync(at("src/grown.ts"), "one\ntwo\nthree\n");
  writeFileSync(at("src/ends.ts"), "one\r\ntwo\r\n");
  const text = await checkpointOf(project, earlier, "s2");
  assert.match(text, /^Files read, changed on disk since: src\/grown\.ts; src\/gone\.ts$/m);
  assert.match(text, /^Files read, unchanged on disk at the compaction: src\/same\.ts$/m);
  assert.match(text, /^Files read: src\/ends\.ts$/m);
  assert.ok(!text.includes(at("src/same.ts")), "listed under another spelling");
});
