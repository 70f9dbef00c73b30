import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { sessionIdOf } from "../session-link.ts";
import type { DshAgent, DshPrompt, DshStep } from "./api.ts";
import { memoryEngine } from "./engine.ts";
import plugin from "./index.ts";
import { dshForm, FakeDsh } from "./test-support/fake-dsh.ts";

function start(t: TestContext, options: { id?: string; cwd?: string } = {}) {
  const { id = "s1", cwd = temporaryDirectory() } = options;
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const host = new FakeDsh({ cwd, id, answer: () => "The user wants a parser. Nothing is finished yet." });
  const memory = plugin.addMemory(host.context);
  t.after(() => memory.close());
  host.emit("agent/created", { agent: host.agent });
  return { cwd, host, memory };
}

async function promptOf(host: FakeDsh, agent: DshAgent = host.agent): Promise<string> {
  const next = async () => ({ sections: [{ name: "persona", text: "You help." }], variables: {} });
  const { sections, variables } = (await host.emit(
    "system-prompt/assemble",
    {},
    { agent },
    next,
  )) as DshPrompt;
  assert.deepEqual(
    sections.map(({ name }) => name),
    ["persona", "holdfast"],
  );
  const [, variable = ""] = /^\{\{(\w+)\}\}$/.exec(sections[1]?.text ?? "") ?? [];
  return variables[variable] ?? "";
}

async function newsOf(host: FakeDsh, step = 1): Promise<string[]> {
  const next = async (): Promise<DshStep> => ({ kind: "enter", messages: [] });
  const decision = (await host.emit("agent/pre-step", { agent: host.agent, step }, next)) as DshStep;
  return (decision.messages ?? []).map(({ content }) => content[0]?.text ?? "");
}

const write = (host: FakeDsh, content: string) =>
  host.tools
    .get("write_notepad")
    ?.execute({}, { callId: crypto.randomUUID(), name: "write_notepad", arguments: { content } });

test("each agent's prompt has its own memory, and edits by others come once [plugins.dsh-prompt]", async (t) => {
  const { cwd, host } = start(t);
  const { host: other } = start(t, { id: "s2", cwd });
  await write(host, "the {{port}} is 4711");
  assert.match(await promptOf(host), /## Session Notepad\nthe \{\{port\}\} is 4711/);
  assert.doesNotMatch(await promptOf(other), /4711/);
  const frozen = await promptOf(host);
  await write(host, "the port is 5000");
  assert.equal(await promptOf(host), frozen, "the provider's cache stays");
  assert.deepEqual(await newsOf(host), [], "the agent sees its own writes in its calls");
  const person = await openWorkspaceMemory({ cwd });
  await (await person.openSession(sessionIdOf("dsh", "s1"))).notepad.append("use tabs");
  await person.close();
  assert.match((await newsOf(host)).join(), /changed by someone else[\s\S]*use tabs/);
  assert.deepEqual(await newsOf(host, 2), []);
});

test("the engine stores our compaction, and the host's summary if memory fails [plugins.dsh-engine]", async (t) => {
  const { host, memory } = start(t);
  const failures: string[] = [];
  const Engine = memoryEngine(host.engine, memory, (event, error) => failures.push(`${event}: ${error}`));
  const engine = new Engine(host.context);
  const signal = new AbortController().signal;
  assert.equal(await engine.compactNow(host.agent, signal), null);
  await write(host, "fix the lexer");
  const answer = dshForm({ role: "assistant", content: "And so it goes on. ".repeat(400) });
  const done = dshForm({ role: "assistant", content: "Done." });
  host.messages = [dshForm({ role: "user", content: "Write src/parser.ts." }), answer, done];
  await engine.compactNow(host.agent, signal);
  assert.match(
    host.text,
    /The user wants a parser[\s\S]*\[Checkpoint[\s\S]*src\/parser\.ts[\s\S]*\[Receipt: /,
  );
  assert.match(await promptOf(host), /fix the lexer/);
  assert.deepEqual(failures, []);
  host.messages.push(answer, done);
  t.mock.method(memory, "summarise", async () => {
    throw new Error("the store is gone");
  });
  await engine.compactNow(host.agent, signal);
  assert.match(host.text, /the host's summary/);
  assert.deepEqual(failures, ["compaction: Error: the store is gone"]);
});
