import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, tool } from "ai";
import { filler, isSummaryRequest, ofType, openStage } from "../../test/support/agent.ts";
import { toolResultsOf, toStored } from "../context/conversation.ts";
import type { ChildLimits } from "../engine/agent-defaults.ts";
import { openMemory } from "../index.ts";
import { readChildren } from "../surfaces/sessions/operations.ts";
import {
  type ScriptedAnswer,
  type ScriptedRequest,
  startScriptedServer,
} from "../testing/scripted-server.ts";
import { createAgent } from "./agent.ts";
import { Children } from "./children.ts";
import type { AgentEvent } from "./events.ts";
import type { AgentOptions } from "./options.ts";

type Script = (request: ScriptedRequest, said: string) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** An agent whose model answers according to the conversation. */
async function withAgent(
  script: Script,
  options: Partial<AgentOptions>,
  work: (world: Awaited<ReturnType<typeof makeWorld>>) => Promise<void>,
) {
  const world = await makeWorld(script, options);
  try {
    await work(world);
  } finally {
    await world.server.close();
    await world.memory.close();
  }
}

async function makeWorld(script: Script, options: Partial<AgentOptions>) {
  const server = await startScriptedServer((request) => script(request, JSON.stringify(request.messages)));
  const memory = await openMemory({ store: "memory:" });
  const model = createOpenAICompatible({ name: "scripted", baseURL: server.url, includeUsage: true })(
    "scripted",
  );
  const agent = createAgent({ memory, model, contextWindow: 50_000, ...options });
  return { server, memory, agent };
}

const call = (name: string, input: object): ScriptedAnswer => ({ toolCalls: [{ name, input }] });
const isChild = (said: string) => !said.includes("PARENT") || said.includes("This is the forked sub-session");

function only<Child>(children: [id: string, child: Child][]): { id: string; child: Child } {
  assert.equal(children.length, 1);
  const [[id, child]] = children as [[string, Child]];
  return { id, child };
}

async function childrenOf(memory: Awaited<ReturnType<typeof openMemory>>, id: string) {
  return readChildren(await (await memory.resumeSession(id)).state());
}

test("a spawned session starts empty, works on its own notepad and returns a clean result [controller.spawn]", async () => {
  const script: Script = (_, said) => {
    if (isChild(said))
      return said.includes("report me")
        ? call("report_result", { result: "3 duplicate rows" })
        : call("update_notepad", { operation: "append", content: "report me" });
    if (said.includes("3 duplicate rows")) return { text: "The expenses have 3 duplicate rows." };
    return said.includes("session_id")
      ? call("wait_for_sessions", {})
      : call("spawn_session", { task: "Look through the expenses" });
  };
  await withAgent(script, {}, async ({ agent, memory, server }) => {
    const session = await memory.createSession({ id: "audit" });
    await session.notepad.write("PARENT's own notes");
    const result = await agent.send("audit", "PARENT: audit the workbook").result;
    assert.equal(result.text, "The expenses have 3 duplicate rows.");
    const { id, child } = only(await childrenOf(memory, "audit"));
    assert.equal(child.status, "completed");
    assert.equal(child.result, "3 duplicate rows");
    assert.equal(await (await memory.resumeSession(id)).notepad.read(), "report me");
    assert.equal(await session.notepad.read(), "PARENT's own notes");
    const first = server.requests.find(
      ({ messages }) =>
        JSON.stringify(messages).includes("Look through the expenses") && isChild(JSON.stringify(messages)),
    );
    assert.ok(JSON.stringify(first?.messages).includes("(empty — use write_notepad"));
  });
});

test("copy_notepad gives the child the parent's notepad [controller.spawn]", async () => {
  const script: Script = (_, said) => {
    if (said.includes("CHILD TASK") && !said.includes("user asks")) return { text: "seen" };
    return said.includes("session_id")
      ? { text: "done" }
      : call("spawn_session", { task: "CHILD TASK", copy_notepad: true });
  };
  await withAgent(script, {}, async ({ agent, memory }) => {
    const session = await memory.createSession({ id: "audit" });
    await session.notepad.write("Gap traced to EMEA");
    await agent.send("audit", "user asks").result;
    const { id } = only(await childrenOf(memory, "audit"));
    assert.equal(await (await memory.resumeSession(id)).notepad.read(), "Gap traced to EMEA");
  });
});

test("a fork has the results of the calls next to it, and no sub-sessions of its parent [controller.fork]", async () => {
  const script: Script = (_, said) => {
    if (said.includes("This is the forked sub-session")) return call("report_result", { result: "forked" });
    if (said.includes("OTHER TASK") && !said.includes("PARENT")) return { text: "other done" };
    if (said.includes("Go on")) return { text: "delegated" };
    if (said.includes("session_id"))
      return {
        toolCalls: [
          { name: "look", input: {} },
          { name: "fork_session", input: { task: "Go on" } },
          { name: "write_notepad", input: { content: "after the fork" } },
        ],
      };
    return call("spawn_session", { task: "OTHER TASK" });
  };
  const look = tool({ inputSchema: jsonSchema({ type: "object" }), execute: () => "port=8443" });
  await withAgent(script, { tools: { look } }, async ({ agent, memory }) => {
    await memory.createSession({ id: "audit" });
    await agent.send("audit", "PARENT: look and delegate").result;
    const fork = (await childrenOf(memory, "audit")).find(([, { kind }]) => kind === "fork");
    assert.ok(fork);
    const [id] = fork;
    assert.deepEqual(await childrenOf(memory, id), []);
    const messages = await (await memory.resumeSession(id)).messages();
    const results = messages.flatMap((message) =>
      toolResultsOf(toStored(0, message)).map(({ text }) => text),
    );
    assert.deepEqual(results.slice(1, 4), [
      "port=8443",
      "This is the forked sub-session. Its task follows.",
      "Not run here: the session that you were forked from runs it.",
    ]);
  });
});

test("a fork has the conversation and the notepad, and its request contains the result of the call that made it [controller.fork]", async () => {
  const script: Script = (_, said) => {
    if (said.includes("This is the forked sub-session"))
      return call("report_result", {
        result: said.includes("the secret is 17") ? "knows 17" : "knows nothing",
      });
    if (said.includes("knows 17")) return { text: "fork knew" };
    if (said.includes("session_id")) return call("wait_for_sessions", {});
    return call("fork_session", { task: "Say the secret" });
  };
  await withAgent(script, {}, async ({ agent, memory, server }) => {
    assert.equal((await agent.send("audit", "PARENT: the secret is 17").result).text, "fork knew");
    const { child } = only(await childrenOf(memory, "audit"));
    assert.equal(child.kind, "fork");
    for (const { messages } of server.requests) {
      const asked = messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []);
      const answered = messages.flatMap(({ tool_call_id }) =>
        tool_call_id === undefined ? [] : [tool_call_id],
      );
      assert.deepEqual(answered, asked);
    }
  });
});

test("a child that runs out of tokens, fails or takes too long is reported as such [controller.child-failure]", async () => {
  const script: Script = (_, said) => {
    if (said.includes("hungry"))
      return { toolCalls: [{ name: "read_notepad", input: {} }], usage: { input: 900, output: 200 } };
    if (said.includes("broken")) return { status: 400, error: "no such thing" };
    if (said.includes("slow")) return new Promise<ScriptedAnswer>(() => {});
    if (said.includes("endless")) return call("read_notepad", {});
    return said.includes("timeout_seconds") ? { text: "done" } : { text: "unexpected" };
  };
  await withAgent(script, { maxSteps: 5 }, async ({ agent, memory }) => {
    await memory.createSession({ id: "audit" });
    const parent = await memory.resumeSession("audit");
    const runner = runnerOf(agent, memory);
    const hasty = runnerOf(agent, memory, { seconds: 1 });
    const endless = await runner.start(parent, { kind: "spawn", task: "endless" });
    const hungry = await runner.start(parent, { kind: "spawn", task: "hungry", tokenLimit: 2_000 });
    const broken = await runner.start(parent, { kind: "spawn", task: "broken" });
    const slow = await hasty.start(parent, { kind: "spawn", task: "slow" });
    const ended = new Map([
      ...(await runner.wait(parent, [endless, hungry, broken], 30)),
      ...(await hasty.wait(parent, [slow], 30)),
    ]);
    assert.equal(ended.get(hungry)?.status, "token_limit");
    assert.equal(ended.get(broken)?.status, "error");
    assert.match(ended.get(broken)?.result ?? "", /no such thing/);
    assert.equal(ended.get(slow)?.status, "time_limit");
    const { status, result } = ended.get(endless) ?? {};
    assert.deepEqual([status, result], ["error", "It was cut off after 5 steps without a result."]);
  });
});

test("children are limited in number and depth, with the next step in the answer [controller.child-limits]", async () => {
  const script: Script = () => new Promise<ScriptedAnswer>(() => {});
  await withAgent(script, {}, async ({ agent, memory }) => {
    const parent = await memory.createSession({ id: "audit" });
    const runner = runnerOf(agent, memory, { running: 1, depth: 1 });
    const first = await runner.start(parent, { kind: "spawn", task: "one" });
    await assert.rejects(runner.start(parent, { kind: "spawn", task: "two" }), /wait_for_sessions/);
    runner.abortChildrenOf("audit");
    await runner.wait(parent, undefined, 10);
    const child = await memory.resumeSession(first);
    await assert.rejects(runner.start(child, { kind: "spawn", task: "three" }), /nested 1 deep/);
  });
  await withAgent(script, {}, async ({ agent, memory }) => {
    const audit = await memory.createSession({ id: "audit" });
    const runner = runnerOf(agent, memory);
    let deepest = audit;
    for (let depth = 1; depth <= 3; depth++)
      deepest = await memory.resumeSession(await runner.start(deepest, { kind: "spawn", task: "deeper" }));
    await assert.rejects(runner.start(deepest, { kind: "spawn", task: "too deep" }), /nested 3 deep/);
    for (let running = 4; running <= 10; running++)
      await runner.start(audit, { kind: "spawn", task: `number ${running}` });
    await assert.rejects(runner.start(audit, { kind: "spawn", task: "eleventh" }), /^10 sub-sessions/);
    runner.abortChildrenOf("audit");
    await runner.wait(audit, undefined, 10);
  });
});

test("aborting the parent aborts its children [controller.child-abort]", async () => {
  let wake = () => {};
  const childRuns = new Promise<void>((proceed) => (wake = proceed));
  const script: Script = (_, said) => {
    if (isChild(said)) {
      wake();
      return new Promise<ScriptedAnswer>(() => {});
    }
    return said.includes("session_id")
      ? call("wait_for_sessions", {})
      : call("spawn_session", { task: "endless" });
  };
  await withAgent(script, {}, async ({ agent, memory }) => {
    const abort = new AbortController();
    const turn = agent.send("audit", "PARENT: go", { signal: abort.signal });
    await childRuns;
    abort.abort();
    await assert.rejects(turn.result);
    const runner = runnerOf(agent, memory);
    const parent = await memory.resumeSession("audit");
    const { id } = only(await childrenOf(memory, "audit"));
    // The other runner does not know this child, so read its record.
    while ((await childrenOf(memory, "audit"))[0]?.[1].status === "running")
      await new Promise((proceed) => setImmediate(proceed));
    assert.equal(new Map(await runner.wait(parent, [id], 1)).get(id)?.status, "aborted");
  });
});

test("a child whose process died is reported as lost, and its notes are kept [controller.child-failure]", async () => {
  await withAgent(
    () => ({ text: "" }),
    {},
    async ({ agent, memory }) => {
      const parent = await memory.createSession({ id: "audit" });
      const child = await memory.spawnSession("audit", { id: "child" });
      await child.notepad.write("half-way");
      await parent.apply({
        type: "children.set",
        id: "child",
        child: { task: "t", kind: "spawn", status: "running", result: "", tokens: 0 },
      });
      const runner = runnerOf(agent, memory);
      const { child: lost } = only(await runner.wait(parent, undefined, 1));
      assert.equal(lost.status, "lost");
      assert.equal(await child.notepad.read(), "half-way");
    },
  );
});

test("only a sub-session can report, and only known ones can be waited for [controller.child-limits]", async () => {
  const script: Script = (_, said) => {
    if (said.includes("is not a sub-session of this session")) return { text: "understood" };
    return said.includes("only sub-sessions can report")
      ? call("wait_for_sessions", { session_ids: ["nobody"] })
      : call("report_result", { result: "x" });
  };
  await withAgent(script, {}, async ({ agent }) => {
    assert.equal((await agent.send("audit", "PARENT").result).text, "understood");
  });
});

/** A separate runner on the same memory and agent, to make the tools' calls directly. */
function runnerOf(
  agent: ReturnType<typeof createAgent>,
  memory: Awaited<ReturnType<typeof openMemory>>,
  limits: Partial<ChildLimits> = {},
): Children {
  return new Children(memory, (id, text, signal) => agent.send(id, text, { signal }), limits);
}

test("a compaction in a sub-session takes the same path and reports its trigger [controller.compaction]", async (t) => {
  const stage = await openStage(t, {
    script: (request) =>
      isSummaryRequest(request) ? { text: "A summary of it all." } : { text: `Understood. ${filler(300)}` },
    contextWindow: 6_000,
  });
  await stage.session();
  const child = await stage.memory.spawnSession("s", { id: "child" });
  const events: AgentEvent[] = [];
  for (let turn = 0; turn < 12; turn++)
    for await (const event of stage.agent.send("child", `Part ${turn}. ${filler(300)}`)) events.push(event);
  const [receipt] = await child.receipts();
  assert.equal(receipt?.trigger, "sub-session");
  assert.ok(ofType(events, "warning").length > 0 && ofType(events, "handoff").length > 0);
  assert.deepEqual(await (await stage.session()).receipts(), []);
});
