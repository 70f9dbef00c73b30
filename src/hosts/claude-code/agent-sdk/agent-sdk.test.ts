import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../../test/support/temporary.ts";
import type { Session } from "../../../index.ts";
import { type HookInput, holdfastClaude } from "./index.ts";

async function openHooks(session: Session, onError?: (error: Error) => void) {
  const given = await holdfastClaude({ session, ...(onError ? { onError } : {}) });
  const send = async (name: keyof typeof given.hooks, more: Partial<HookInput> = {}) => {
    const input = { hook_event_name: name, transcript_path: "/nowhere", cwd: "/nowhere", ...more };
    return (await given.hooks[name][0]?.hooks[0]?.(input))?.hookSpecificOutput;
  };
  /** Connects memory's server as the SDK does. */
  const { instance } = given.mcpServers.holdfast as { instance: unknown };
  const transport: { onmessage?: (message: object) => void; wake: (reply: object) => void } & object = {
    wake: () => {},
  };
  const calls = { ...transport, start: async () => {}, send: async (reply: object) => calls.wake(reply) };
  await (instance as { connect(to: object): Promise<void> }).connect(calls);
  const ask = (method: string, params: object = {}) =>
    new Promise<Record<string, unknown>>((answered) => {
      calls.wake = (reply) => answered(reply as Record<string, unknown>);
      calls.onmessage?.({ jsonrpc: "2.0", id: 1, method, params });
    });
  return { given, send, ask };
}

test("the memory is shown once, then changes by others [claude.sdk-hooks]", async () => {
  const memory = await openTestMemory({ surfaces: ["notepad", "pins"] });
  const session = await memory.openSession("s");
  await session.notepad.write("- July is counted twice");
  const { send } = await openHooks(session);
  // The SDK sends no SessionStart for a new conversation to hooks in the process.
  assert.match(
    JSON.stringify(await send("UserPromptSubmit")),
    /## Session Notepad\\n- July is counted twice/,
  );
  assert.equal(await send("UserPromptSubmit"), undefined);
  await session.notepad.append("- August too", { actor: { kind: "person" } });
  assert.match(JSON.stringify(await send("UserPromptSubmit")), /changed by someone else[\s\S]*August too/);
  assert.equal(await send("UserPromptSubmit"), undefined, "news is in the conversation once");
  assert.match(JSON.stringify(await send("SessionStart", { source: "resume" })), /July[\s\S]*August/);
  assert.equal(await send("SessionStart", { source: "startup", agent_id: "sub" }), undefined);
  await memory.close();
});

test("each conversation is shown the memory, also where the same options start the next one [claude.sdk-hooks]", async () => {
  const memory = await openTestMemory({ surfaces: ["notepad"] });
  const session = await memory.openSession("s");
  await session.notepad.write("- July is counted twice");
  const { send } = await openHooks(session);
  const prompt = (session_id: string) => send("UserPromptSubmit", { session_id });
  assert.match(JSON.stringify(await prompt("one")), /July is counted twice/);
  assert.equal(await prompt("one"), undefined);
  await session.notepad.append("- August too");
  const second = JSON.stringify(await prompt("two"));
  assert.match(second, /This is your memory[\s\S]*July[\s\S]*August/);
  assert.doesNotMatch(second, /changed by someone else|earlier copy/);
  assert.equal(await prompt("two"), undefined);
  await send("PreCompact", { session_id: "two" });
  await send("PostCompact", { session_id: "two", compact_summary: "The user asked about Q3." });
  const compacted = JSON.stringify(await send("SessionStart", { session_id: "three", source: "compact" }));
  assert.match(compacted, /\[Receipt: /, "a compaction that goes on under another id keeps its receipt");
  await memory.close();
});

test("a resumed conversation reads that the memory replaces the copy it has [claude.sdk-hooks]", async () => {
  const memory = await openTestMemory({ surfaces: ["notepad"] });
  const session = await memory.openSession("s");
  await session.notepad.write("- July is counted twice");
  const before = await openHooks(session);
  const transcript_path = join(temporaryDirectory(), "transcript.jsonl");
  const shown = await before.send("UserPromptSubmit", { session_id: "one", transcript_path });
  assert.doesNotMatch(JSON.stringify(shown), /earlier copy/);
  writeFileSync(transcript_path, `${JSON.stringify({ type: "attachment", attachment: shown })}\n`);
  await session.notepad.write("- June is counted twice", { actor: { kind: "person" } });
  const { send } = await openHooks(session);
  const resumed = JSON.stringify(await send("UserPromptSubmit", { session_id: "one", transcript_path }));
  assert.match(resumed, /replaces every earlier copy[\s\S]*This is your memory[\s\S]*June is counted twice/);
  assert.equal(await send("UserPromptSubmit", { session_id: "one", transcript_path }), undefined);
  await memory.close();
});

test("a process that starts after a compaction shows its facts, unless the conversation has them [claude.sdk-hooks]", async () => {
  const memory = await openTestMemory({ surfaces: ["notepad"] });
  const session = await memory.openSession("s");
  await session.notepad.write("- July is counted twice");
  const before = await openHooks(session);
  await before.send("UserPromptSubmit");
  await before.send("PreCompact");
  await before.send("PostCompact", { compact_summary: "The user asked about Q3." });
  const after = await openHooks(session);
  const shown = await after.send("UserPromptSubmit");
  assert.match(JSON.stringify(shown), /\[Receipt: .*July is counted twice/);
  const transcript_path = join(temporaryDirectory(), "transcript.jsonl");
  writeFileSync(transcript_path, `${JSON.stringify({ type: "attachment", attachment: shown })}\n`);
  const later = await openHooks(session);
  const again = JSON.stringify(await later.send("UserPromptSubmit", { transcript_path }));
  assert.match(again, /July is counted twice/);
  assert.doesNotMatch(again, /\[Receipt: /);
  await memory.close();
});

test("memory's tools answer over the SDK's transport, once per call of the model [claude.sdk-tools]", async () => {
  const memory = await openTestMemory({ surfaces: ["notepad"] });
  const session = await memory.openSession("s");
  const { given, send, ask } = await openHooks(session);
  await send("UserPromptSubmit");
  const { result: started } = await ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "claude-code", version: "2" },
  });
  assert.deepEqual((started as { capabilities: object }).capabilities, { tools: {} });
  const { result } = await ask("tools/list");
  const { tools } = result as { tools: { name: string; inputSchema: { type: string } }[] };
  assert.deepEqual(
    given.allowedTools,
    tools.map(({ name }) => `mcp__holdfast__${name}`),
  );
  assert.ok(tools.length >= 3 && tools.every(({ inputSchema }) => inputSchema.type === "object"));
  const call = {
    name: "update_notepad",
    arguments: { operation: "append", content: "- once" },
    _meta: { "claudecode/toolUseId": "toolu_01AbCdEf" },
  };
  await ask("tools/call", call);
  await ask("tools/call", call);
  assert.equal(await session.notepad.read(), "- once");
  assert.equal(await send("UserPromptSubmit"), undefined, "the agent's own write is not news");
  const { result: failed } = await ask("tools/call", { name: "update_notepad", arguments: {} });
  assert.equal((failed as { isError?: boolean }).isError, true);
  assert.match(JSON.stringify(await ask("resources/list")), /Method not found/);
  await memory.close();
});

test("a memory failure never stops the agent and is never silent [claude.sdk-failure]", async (t) => {
  const memory = await openTestMemory();
  const session = await memory.openSession("s");
  const failures: string[] = [];
  const { send } = await openHooks(session, ({ message }) => failures.push(message));
  t.mock.method(session, "state", async () => Promise.reject(new Error("the disk is gone")));
  t.mock.method(session, "context", async () => Promise.reject(new Error("the disk is gone")));
  for (const name of ["UserPromptSubmit", "PreCompact", "PostCompact"] as const)
    assert.equal(await send(name, { compact_summary: "x" }), undefined);
  assert.ok(failures.length >= 2 && failures.every((failure) => failure === "the disk is gone"));
  t.mock.restoreAll();
  await memory.close();
  await assert.rejects(holdfastClaude({} as { session: Session }), /needs a "session"/);
});
