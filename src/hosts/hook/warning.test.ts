import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { type HookProject, hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { warningText } from "../../compaction/warning.ts";
import { openMemory } from "../../index.ts";

/** Claude Code compacts at 167,000 tokens of this model's window. */
const model = "claude-opus-4-5";

interface Conversation {
  project: HookProject;
  /** The host records a model call with this many tokens, and the call of a tool. */
  call(tokens: number, id?: string): void;
  /** The same with the agent's last words. */
  say(text: string, tokens: number): void;
  send(event: string, more?: Record<string, unknown>): Promise<{ context: string; stdout: string }>;
  write(text: string): Promise<void>;
}

async function converse(): Promise<Conversation> {
  process.env.XDG_STATE_HOME = temporaryDirectory();
  const project = await hookProject();
  const transcript_path = join(project.root, "transcript.jsonl");
  writeFileSync(transcript_path, "");
  let line = 0;
  const record = (type: string, message: object) => {
    const timestamp = new Date(Date.now() + line).toISOString();
    const value = { type, uuid: `u${line++}`, sessionId: "s1", timestamp, message };
    appendFileSync(transcript_path, `${JSON.stringify(value)}\n`);
  };
  record("user", { role: "user", content: "Move the ledger." });
  const answer = (content: object[], tokens: number) =>
    record("assistant", {
      role: "assistant",
      model,
      content,
      usage: { input_tokens: 1_000, cache_read_input_tokens: tokens - 1_000, output_tokens: 0 },
    });
  return {
    project,
    call: (tokens, id = `t${line}`) =>
      answer([{ type: "tool_use", id, name: "Bash", input: { command: "ls" } }], tokens),
    say: (text, tokens) => answer([{ type: "text", text }], tokens),
    send: (hook_event_name, more = {}) =>
      hook(project, "claude-code", { hook_event_name, session_id: "s1", transcript_path, ...more }),
    write: (text) =>
      inMemory(project, async (memory) => {
        await (await memory.openSession("claude-code.s1")).call("write_notepad", { content: text });
      }),
  };
}

const result = (id: string, text: string, command = "ls") => ({
  tool_calls: JSON.stringify([
    { tool_name: "Bash", tool_use_id: id, tool_input: { command }, tool_response: text },
  ]),
});

test("[hooks.warning] the agent is warned in mid-turn, in the seed's words, once until the next compaction", async () => {
  const { call, send } = await converse();
  await send("SessionStart", { source: "startup" });
  call(120_000);
  assert.equal((await send("PostToolBatch")).context, "");
  call(161_000);
  assert.equal((await send("PostToolBatch")).context, warningText);
  call(163_000);
  assert.equal((await send("PostToolBatch")).context, "");
  await send("PreCompact", { trigger: "manual" });
  await send("SessionStart", { source: "compact" });
  // The host may write the boundary later than it sends its next event.
  assert.equal((await send("PostToolBatch")).context, "");
  call(162_000);
  assert.equal((await send("UserPromptSubmit", { prompt: "Go on." })).context, warningText);
});

test("[hooks.warning-jump] a result that would jump over the limit counts, and the compaction waits for one request", async () => {
  const { project, call, send, write } = await converse();
  await send("SessionStart", { source: "startup" });
  call(158_000, "big");
  const { context } = await send("PostToolBatch", result("big", "word ".repeat(9_000)));
  assert.equal(context, warningText);
  call(168_000);
  const compact = () => send("PreCompact", { trigger: "auto" });
  assert.deepEqual(JSON.parse((await compact()).stdout).decision, "block");
  await write("the port is 8443");
  assert.doesNotMatch((await compact()).stdout, /"decision"/, "never twice");
  await inMemory(project, async (memory) => {
    const session = await memory.resumeSession("claude-code.s1");
    assert.equal((await session.records("handoff")).length, 1);
  });
  const { context: after } = await send("SessionStart", { source: "compact" });
  assert.match(after, /## Session Notepad\nthe port is 8443/);
  await inMemory(project, async (memory) => {
    const [receipt] = await (await memory.resumeSession("claude-code.s1")).records("receipt");
    assert.deepEqual([receipt?.value.warning, receipt?.value.wrote], ["given", true]);
  });
});

test("[hooks.warning-jump] a compaction is not put off for an agent that has answered, by the user, or in a full window", async () => {
  const cases = [
    { name: "answered", trigger: "auto", tokens: 168_000, writes: true },
    { name: "manual", trigger: "manual", tokens: 168_000, writes: false },
    { name: "full", trigger: "auto", tokens: 179_000, writes: false },
  ];
  for (const { name, trigger, tokens, writes } of cases) {
    const { call, send, write } = await converse();
    await send("SessionStart", { source: "startup" });
    call(162_000);
    assert.equal((await send("PostToolBatch")).context, warningText);
    if (writes) await write("all is well");
    call(tokens);
    assert.doesNotMatch((await send("PreCompact", { trigger })).stdout, /"decision"/, name);
  }
});

test("[hooks.warning-jump] a call that the host has not written to its transcript yet counts with its arguments and its result", async () => {
  const { call, send } = await converse();
  await send("SessionStart", { source: "startup" });
  call(155_000, "earlier");
  const long = "word ".repeat(3_000);
  assert.equal((await send("PostToolBatch", result("late", "done"))).context, "");
  assert.equal((await send("PostToolBatch", result("late", long))).context, "");
  assert.equal((await send("PostToolBatch", result("late", long, long))).context, warningText);
});

test("[hooks.warning] usage that the host writes a moment after the event counts, during a turn and at its end", async () => {
  for (const [event, more] of [
    ["PostToolBatch", result("new", "done")],
    ["Stop", { last_assistant_message: "All done." }],
  ] as const) {
    const { call, say, send } = await converse();
    await send("SessionStart", { source: "startup" });
    call(100_000);
    const sent = send(event, more);
    setTimeout(() => (event === "Stop" ? say("All done.", 162_000) : call(162_000, "new")), 100);
    assert.equal((await sent).context, warningText, event);
  }
});

test("[hooks.warning-end] at the end of a turn an agent that has written nothing is warned once more, and no other", async () => {
  const { call, send } = await converse();
  await send("SessionStart", { source: "startup" });
  call(162_000);
  assert.equal((await send("PostToolBatch")).context, warningText);
  assert.equal((await send("Stop", { stop_hook_active: false })).context, warningText);
  assert.equal((await send("Stop", { stop_hook_active: true })).context, "");
  assert.equal((await send("Stop", { stop_hook_active: false })).context, "");

  const other = await converse();
  await other.send("SessionStart", { source: "startup" });
  other.call(162_000);
  await other.send("PostToolBatch");
  await other.write("the port is 8443");
  assert.equal((await other.send("Stop", { stop_hook_active: false })).context, "");
});

test("[hooks.warning-agent] a sub-agent is not warned with the main agent's figures", async () => {
  const { call, send } = await converse();
  await send("SessionStart", { source: "startup" });
  call(166_000);
  assert.equal((await send("PostToolBatch", { agent_id: "a1" })).context, "");
  assert.equal((await send("PostToolBatch")).context, warningText);
});

test("[hooks.warning-learned] the fill at which the host compacted before decides when the agent is warned", async () => {
  const { call, send } = await converse();
  await send("SessionStart", { source: "startup" });
  call(120_000);
  assert.equal((await send("PostToolBatch")).context, "");
  await send("PreCompact", { trigger: "auto" });
  await send("SessionStart", { source: "compact" });
  call(117_000);
  assert.equal((await send("PostToolBatch")).context, warningText);
});

test("[hooks.warning] with other surfaces the warning names those", async () => {
  const { project, call, send } = await converse();
  writeFileSync(join(project.root, "holdfast.json"), JSON.stringify({ surfaces: ["scratchpad"] }));
  await send("SessionStart", { source: "startup" });
  call(162_000);
  const { context } = await send("PostToolBatch");
  assert.match(context, /Review your session scratchpad \(session_scratchpad\)/);
  assert.doesNotMatch(context, /notepad/);
});

test("[hooks.warning] after /clear the new conversation is warned when its own context is nearly full", async () => {
  const { project, call, send, write } = await converse();
  await send("SessionStart", { source: "startup" });
  call(162_000);
  assert.equal((await send("PostToolBatch")).context, warningText);
  await write("the port is 8443");
  const transcript_path = join(project.root, "cleared.jsonl");
  writeFileSync(transcript_path, "");
  const cleared = (event: string, more = {}) => send(event, { session_id: "s2", transcript_path, ...more });
  await cleared("SessionStart", { source: "clear" });
  assert.equal(
    (await cleared("PostToolBatch")).context,
    "",
    "the earlier conversation's fill is not its own",
  );
  const usage = { input_tokens: 162_000, output_tokens: 0 };
  const line = { type: "assistant", uuid: "u1", sessionId: "s2", message: { model, content: "Yes.", usage } };
  appendFileSync(transcript_path, `${JSON.stringify(line)}\n`);
  assert.equal((await cleared("PostToolBatch")).context, warningText);
});

test("[hooks.warning] of two conversations in a project, only the one with a full context is warned", async () => {
  const { project, call, send } = await converse();
  const transcript_path = join(project.root, "other.jsonl");
  writeFileSync(transcript_path, "");
  const other = (event: string, more = {}) => send(event, { session_id: "s2", transcript_path, ...more });
  await send("SessionStart", { source: "startup" });
  await other("SessionStart", { source: "startup" });
  call(162_000);
  const [first, second] = await Promise.all([send("PostToolBatch"), other("PostToolBatch")]);
  assert.deepEqual([first.context, second.context], [warningText, ""]);
});

test("[hooks.warning-full] an agent whose notepad takes no more keeps its notes, and its compaction waits once", async () => {
  const { project, call, send } = await converse();
  writeFileSync(join(project.root, "holdfast.json"), JSON.stringify({ limits: { notepadCharacters: 100 } }));
  const text = `the port is 8443 ${"and so on ".repeat(8)}`.trim();
  const write = async (content: string) => {
    const memory = await openMemory({ store: project.database, limits: { notepadCharacters: 100 } });
    try {
      return (await (await memory.openSession("claude-code.s1")).call("write_notepad", { content })) as {
        ok: boolean;
      };
    } finally {
      await memory.close();
    }
  };
  await write(text);
  await send("SessionStart", { source: "startup" });
  call(162_000);
  assert.equal((await send("PostToolBatch")).context, warningText);
  assert.equal((await write(`${text} and the lexer is next`)).ok, false);
  call(168_000);
  const compact = async () => (await send("PreCompact", { trigger: "auto" })).stdout;
  assert.match(await compact(), /"decision":"block"/);
  assert.doesNotMatch(await compact(), /"decision"/, "never twice");
  assert.ok((await send("SessionStart", { source: "compact" })).context.includes(text));
});

test("[hooks.warning-locked] while another program holds the store, no compaction waits, and the agent is warned when it is free", async () => {
  const { project, call, send } = await converse();
  writeFileSync(join(project.root, "holdfast.json"), JSON.stringify({ interactiveLockTimeout: 50 }));
  await send("SessionStart", { source: "startup" });
  call(162_000);
  const database = new DatabaseSync(project.database);
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  try {
    await assert.rejects(send("PostToolBatch"), /database is locked/);
    await assert.rejects(send("PreCompact", { trigger: "auto" }), /database is locked/);
  } finally {
    database.exec("ROLLBACK");
    database.close();
  }
  assert.equal((await send("PostToolBatch")).context, warningText);
});
