import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { compressedHistory } from "../test-support/driver-transcripts.ts";
import {
  answered,
  claudeTranscript,
  codexTranscript,
  geminiTranscript,
  lines,
  said,
} from "./test-support/transcripts.ts";

test("[hooks.claude-code] [hooks.notice] Claude Code: a handoff and plain text for the summarizer before, nothing after, memory at the restart", async () => {
  const project = await hookProject();
  const transcript_path = claudeTranscript(project);
  const event = { session_id: "s1", transcript_path };
  await hook(project, "claude-code", { ...event, hook_event_name: "SessionStart", source: "startup" });
  await inMemory(project, async (memory) => {
    const session = await memory.openSession("claude-code.s1");
    await session.notepad.write("- tabs count as 8 columns");
    await session.apply({ type: "scratchpad.set_plan", content: "1. parser\n2. docs" });
  });
  const before = await hook(project, "claude-code", {
    ...event,
    hook_event_name: "PreCompact",
    trigger: "auto",
    custom_instructions: "",
  });
  assert.match(
    before.stdout,
    /^The user's messages word for word, the newest steps and the agent's notepad are kept outside/,
  );
  appendFileSync(
    transcript_path,
    lines(
      { type: "system", subtype: "compact_boundary", uuid: "8" },
      { ...said("9", "TKT-4711: tabs in the parser"), isCompactSummary: true },
    ),
  );
  const after = await hook(project, "claude-code", {
    ...event,
    hook_event_name: "PostCompact",
    trigger: "auto",
    compact_summary: "TKT-4711: tabs in the parser",
  });
  assert.equal(after.stdout, "");
  const start = await hook(project, "claude-code", {
    ...event,
    hook_event_name: "SessionStart",
    source: "compact",
  });
  assert.match(start.context, /Below is your working memory, and a handoff/, "no copy stays above it");
  const order = ["- tabs count as 8 columns", "1. parser", "[Handoff:", "[Receipt: 5 messages"];
  const positions = order.map((text) => start.context.indexOf(text));
  assert.ok(
    positions.every((position, index) => position > (positions[index - 1] ?? -1)),
    start.context,
  );
  assert.match(start.context, /oldest first:\n- Make src\/parser\.ts accept tabs, see TKT-4711\n/);
  assert.match(start.context, /\n- Edit \/p\/src\/parser\.ts/);
  assert.match(start.context, /\n- \$ npm run lint → FAILED/);
  assert.match(start.context, /search the removed conversation with recall\./);
  assert.match(
    start.context,
    /\[Receipt: 5 messages compacted\. In context: 1 user message, whole notepad\. Rest: recall\]/,
  );
  assert.ok(!start.context.includes("sub-agent"));
  assert.equal(
    JSON.parse(start.stdout).systemMessage,
    "Holdfast restored 1 of your messages and the notepad. The agent can recall all 5 removed messages.",
  );
  await inMemory(project, async (memory) => {
    const receipts = await (await memory.resumeSession("claude-code.s1")).receipts();
    assert.deepEqual(
      receipts.map(({ trigger, epoch, from, to }) => ({ trigger, epoch, from, to })),
      [{ trigger: "host", epoch: 1, from: 1, to: 5 }],
    );
    assert.deepEqual(receipts[0]?.user, { whole: 1, cut: 0, leftOut: 0 });
  });
});

test("[hooks.claude-code] a compaction whose end is reported after the session's restart has one receipt", async () => {
  const project = await hookProject();
  const event = { session_id: "s1", transcript_path: claudeTranscript(project) };
  const manual = { ...event, hook_event_name: "PreCompact", trigger: "manual" };
  const before = await hook(project, "claude-code", manual);
  // Claude Code repeats this text in the conversation, which gets the handoff when the session restarts.
  assert.match(before.stdout, /are kept outside the conversation and shown to the agent again afterwards\./);
  assert.doesNotMatch(before.stdout, /\[Handoff/);
  const restart = { ...event, hook_event_name: "SessionStart", source: "compact" };
  assert.match((await hook(project, "claude-code", restart)).context, /\[Handoff/);
  const late = await hook(project, "claude-code", {
    ...event,
    hook_event_name: "PostCompact",
    compact_summary: "npm run lint fails",
  });
  assert.equal(late.stdout, "");
  await inMemory(project, async (memory) => {
    const receipts = await (await memory.resumeSession("claude-code.s1")).receipts();
    assert.equal(receipts.length, 1);
  });
  // A second compaction gets its own receipt.
  await hook(project, "claude-code", { ...event, hook_event_name: "PreCompact", trigger: "auto" });
  await hook(project, "claude-code", { ...event, hook_event_name: "SessionStart", source: "compact" });
  await inMemory(project, async (memory) => {
    const receipts = await (await memory.resumeSession("claude-code.s1")).receipts();
    assert.deepEqual(
      receipts.map(({ epoch }) => epoch),
      [1, 2],
    );
  });
});

test("a task that was begun and ended over MCP is a line of the handoff, with its outcome [config.task-collapse]", async () => {
  const project = await hookProject();
  writeFileSync(join(project.root, "holdfast.json"), JSON.stringify({ surfaces: ["notepad", "tasks"] }));
  const transcript_path = join(project.root, "transcript.jsonl");
  const used = (id: string, name: string, input: unknown) => [
    answered(`a${id}`, [{ type: "tool_use", id, name, input }]),
    said(`r${id}`, [{ type: "tool_result", tool_use_id: id, content: "ok" }]),
  ];
  const told = [
    said("1", "Port the parser, then the printer"),
    ...used("2", "mcp__holdfast__begin_task", { description: "Parser" }),
    ...used("3", "Read", { file_path: "/p/src/legacy-grammar.ts" }),
    ...used("4", "Edit", { file_path: "/p/src/parser.ts", new_string: "x" }),
    ...used("5", "mcp__holdfast__end_task", { summary: "ported" }),
    ...used("6", "Read", { file_path: "/p/src/printer.ts" }),
  ];
  writeFileSync(transcript_path, lines(...told));
  const event = { session_id: "s1", transcript_path };
  await hook(project, "claude-code", { ...event, hook_event_name: "SessionStart", source: "startup" });
  await inMemory(project, async (memory) => {
    const session = await memory.openSession("claude-code.s1");
    await session.apply({ type: "tasks.begin", description: "Parser" });
    await session.apply({ type: "tasks.end", summary: "ported" });
  });
  await hook(project, "claude-code", { ...event, hook_event_name: "PreCompact", trigger: "auto" });
  const restart = { ...event, hook_event_name: "SessionStart", source: "compact" };
  const { context } = await hook(project, "claude-code", restart);
  assert.match(context, /\[Ended tasks\]\n\[Task: Parser — ported\]/);
  assert.match(context, /\nYou: Finished the task "Parser": ported\n/);
  assert.match(context, /\/p\/src\/printer\.ts/);
  assert.doesNotMatch(context, /begin_task|end_task|legacy-grammar/);
});

test("[hooks.codex] Codex: an empty object before, nothing after, memory at the restart", async () => {
  const project = await hookProject();
  const event = { session_id: "s1", transcript_path: codexTranscript(project), turn_id: "t", model: "m" };
  const before = await hook(project, "codex", { ...event, hook_event_name: "PreCompact", trigger: "auto" });
  assert.equal(before.stdout, "{}");
  const after = await hook(project, "codex", { ...event, hook_event_name: "PostCompact", trigger: "auto" });
  assert.equal(after.stdout, "");
  const { context, stdout } = await hook(project, "codex", {
    ...event,
    hook_event_name: "SessionStart",
    source: "compact",
  });
  assert.match(
    JSON.parse(stdout).systemMessage,
    /^Holdfast restored 1 of your messages\. The agent can recall/,
  );
  assert.match(context, /oldest first:\n- Rename the flag in cmd\/main\.go, issue TKT-4711\n/);
  assert.match(context, /\n- apply_patch cmd\/main\.go/);
  assert.match(context, /\n- \$ go vet \.\/\.\.\. → FAILED/);
  assert.ok(!context.includes("environment_context"));
  assert.match(context, /\[Receipt: 5 messages compacted/);
});

test("[hooks.told-once] a compaction shown when Codex resumed is not shown again at its own start", async () => {
  const project = await hookProject();
  const event = { session_id: "s1", transcript_path: codexTranscript(project), turn_id: "t", model: "m" };
  const send = (hook_event_name: string, more = {}) =>
    hook(project, "codex", { ...event, hook_event_name, ...more });
  const start = async (source: string) => (await send("SessionStart", { source })).context;
  await start("startup");
  await inMemory(project, async (memory) =>
    (await memory.openSession("codex.s1")).notepad.append("cedar-4711"),
  );
  await send("PreCompact", { trigger: "auto" });
  await send("PostCompact", { trigger: "auto" });
  assert.match(await start("resume"), /was compacted[\s\S]+cedar-4711[\s\S]+\[Receipt: /);
  assert.equal(await start("compact"), "");
  await send("UserPromptSubmit", { prompt: "Go on." });
  assert.match(await start("compact"), /was compacted[\s\S]+cedar-4711/);
  assert.equal(await start("resume"), "", "an unchanged memory is not shown again");
});

test("[hooks.gemini] Gemini: always an object, no angle brackets, memory again after the chat was compressed", async () => {
  const project = await hookProject();
  await inMemory(project, async (memory) => {
    const session = await memory.openSession("gemini.s1");
    await session.notepad.write("Map<string> stays <b>bold</b>");
  });
  const transcript_path = geminiTranscript(project);
  const event = { session_id: "s1", transcript_path };
  const session = { ...event, hook_event_name: "SessionStart" };
  const prompt = { ...event, hook_event_name: "BeforeAgent", prompt: "go on" };
  // A resumed chat lacks a prompt that begins with what a hook has injected.
  assert.equal((await hook(project, "gemini", { ...session, source: "startup" })).stdout, "{}");
  const start = await hook(project, "gemini", prompt);
  assert.equal(JSON.parse(start.stdout).hookSpecificOutput.hookEventName, "BeforeAgent");
  assert.match(start.context, /Map‹string› stays ‹\\b›bold‹\\\/b›/);
  assert.doesNotMatch(start.context, /[<>]/);
  const tool = { ...event, hook_event_name: "AfterTool", tool_name: "write_file" };
  for (const payload of [prompt, tool])
    assert.equal((await hook(project, "gemini", payload)).stdout, "{}", JSON.stringify(payload));
  const append = (...added: object[]) => appendFileSync(transcript_path, lines(...added));
  append(compressedHistory("Porting."), { id: "u2", type: "user", content: "Port bin too" });
  const { context } = await hook(project, "gemini", tool);
  assert.match(
    context,
    /your working memory, which replaces every copy above, and a handoff[\s\S]+Map‹string›/,
  );
  assert.match(context, /oldest first:\n- Port lib to Python 3\n/);
  assert.match(context, /lib\/part\.py/);
  assert.match(context, /\[Receipt: /);
  assert.doesNotMatch(context, /[<>]|Port bin/);
  assert.equal((await hook(project, "gemini", tool)).stdout, "{}");
  // A resume writes the history again, with the same summary.
  append(compressedHistory("Porting."));
  for (const payload of [{ ...session, source: "resume" }, prompt, tool])
    assert.equal((await hook(project, "gemini", payload)).stdout, "{}", JSON.stringify(payload));
  append(compressedHistory("Ported."));
  await hook(project, "gemini", { ...session, source: "resume" });
  assert.match((await hook(project, "gemini", prompt)).context, /Port bin too[\s\S]*\[Receipt: /);
});

test("[hooks.generic] any other host sends plain events and gets plain fields back", async () => {
  const project = await hookProject();
  const event = { session_id: "s1" };
  await inMemory(project, async (memory) => {
    await (await memory.openSession("opencode.s1")).notepad.write("canary");
  });
  const start = await hook(project, "opencode", { ...event, event: "session-start" });
  assert.match(JSON.parse(start.stdout).context, /canary/);
  const before = await hook(project, "opencode", { ...event, event: "before-compaction" });
  assert.match(JSON.parse(before.stdout).keep, /notepad are kept outside the conversation|notepad is kept/);
  const after = await hook(project, "opencode", { ...event, event: "after-compaction", summary: "s" });
  assert.match(JSON.parse(after.stdout).context, /canary[\s\S]+\[Receipt: /);
  assert.equal((await hook(project, "opencode", { ...event, event: "prompt" })).stdout, "{}");
  assert.equal((await hook(project, "opencode", { ...event, event: "end" })).stdout, "{}");
});

test("[hooks.claude-code] NUL and lone surrogates in a transcript stop neither handoff nor receipt", async () => {
  const project = await hookProject();
  const transcript_path = join(project.root, "odd.jsonl");
  writeFileSync(
    transcript_path,
    `${lines(said("1", "Look at src/odd.ts \u0000 \ud800"))}{"type":"user","uuid":"2","mess`,
  );
  const event = { session_id: "s1", transcript_path };
  await hook(project, "claude-code", { ...event, hook_event_name: "PreCompact" });
  const summary = "src/odd.ts \u0000 \udfff";
  await hook(project, "claude-code", { ...event, hook_event_name: "PostCompact", compact_summary: summary });
  const { context, failures } = await hook(project, "claude-code", {
    ...event,
    hook_event_name: "SessionStart",
    source: "compact",
  });
  assert.deepEqual(failures, []);
  assert.match(context, /\n- Look at src\/odd\.ts/);
  assert.match(context, /\[Receipt: 1 message compacted/);
});

test("if the user declined our server, no answer names its tools [hooks.declined]", async () => {
  const home = temporaryDirectory();
  const { HOME } = process.env;
  process.env.HOME = home;
  try {
    for (const where of ["~/.claude.json", ".claude/settings.local.json"]) {
      const project = await hookProject();
      const transcript_path = join(project.root, "transcript.jsonl");
      const said = { type: "user", uuid: "1", message: { role: "user", content: "Round the totals." } };
      writeFileSync(transcript_path, `${JSON.stringify(said)}\n`);
      await inMemory(project, async (memory) => {
        const session = await memory.openSession("claude-code.s1");
        await session.notepad.write(`# Plan\n${"one line of the plan\n".repeat(900)}`);
        await session.notes.add("a note", []);
      });
      const answers = async () => {
        const event = { session_id: "s1", transcript_path };
        const send = (more: object) => hook(project, "claude-code", { ...event, ...more });
        const start = await send({ hook_event_name: "SessionStart", source: "resume" });
        await send({ hook_event_name: "PreCompact", trigger: "auto" });
        const after = await send({ hook_event_name: "SessionStart", source: "compact" });
        return start.context + after.context;
      };
      const names = /read_notepad|list_notes|search_notes|\brecall\b/;
      assert.match(await answers(), names);
      const declined = where.startsWith("~")
        ? { projects: { [project.root]: { disabledMcpServers: ["holdfast"] } } }
        : { disabledMcpjsonServers: ["holdfast"] };
      const file = where.startsWith("~") ? join(home, ".claude.json") : join(project.root, where);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(declined));
      assert.doesNotMatch(await answers(), names, where);
    }
  } finally {
    process.env.HOME = HOME;
  }
});
