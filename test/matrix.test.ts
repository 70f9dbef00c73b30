import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { generateText, type ModelMessage } from "ai";
import { openSdkStage } from "../src/adapters/ai-sdk/test-support/ai-sdk.ts";
import { warningFor } from "../src/compaction/warning.ts";
import { type Placement, placements } from "../src/context/blocks.ts";
import { defaultLimits } from "../src/engine/limits.ts";
import { claudeTranscript } from "../src/hosts/hook/test-support/transcripts.ts";
import type { OpenClawContext, OpenClawTool } from "../src/hosts/openclaw/api.ts";
import openClawPlugin from "../src/hosts/openclaw/index.ts";
import piExtension from "../src/hosts/pi/index.ts";
import { FakePi, shownIn } from "../src/hosts/pi/test-support/fake-pi.ts";
import { openMemory, surfaceNames } from "../src/index.ts";
import { instructionsOf } from "../src/mcp/server.ts";
import type { SurfaceChoice } from "../src/sessions/options.ts";
import { initProject, openProject } from "../src/surfaces/project/index.ts";
import { inHost, type Surface } from "../src/surfaces/surface.ts";
import { createToolbox, dotless, guidanceOf } from "../src/surfaces/toolbox.ts";
import { chosenSurfaces, knownSurfaces, loadSurfaces } from "../src/workspace/chosen-surfaces.ts";
import { findProject } from "../src/workspace/project.ts";
import { call, filler, isSummaryRequest, ofType, openStage, plainSummary } from "./support/agent.ts";
import { hook, hookProject, inMemory } from "./support/hook.ts";
import { lookTool } from "./support/look-tool.ts";
import { temporaryDirectory } from "./support/temporary.ts";

/** Every tool name that exists, in both spellings. A text that contains one names a tool. */
const allTools = await allToolNames();

async function allToolNames(): Promise<string[]> {
  const project = findProject(temporaryDirectory());
  const surfaces = await loadSurfaces(knownSurfaces, { project, config: { values: {} } });
  return surfaces.flatMap(({ tools }) => tools.flatMap(({ name }) => [name, dotless(name)]));
}

/** The tools that a text names. `recall` and `archive` are also words, so they count only after "call". */
function toolsNamedIn(whole: string): string[] {
  // In a program it is an object.
  const text = whole.replaceAll("- session.scratchpad: read()", "");
  return [...new Set(allTools)].filter((name) =>
    /[_.]/.test(name)
      ? new RegExp(`(?<![\\w.])${name.replace(".", "\\.")}(?![\\w])`).test(text)
      : new RegExp(`\\b(?:[Cc]all|tool) ${name}\\b`).test(text),
  );
}

function assertCallable(text: string, offered: readonly string[], where: string): void {
  assert.deepEqual(
    toolsNamedIn(text).filter((name) => !offered.includes(name)),
    [],
    `${where} names tools that are not offered there`,
  );
}

const combinations = [
  ...surfaceNames.map((name) => [name]),
  ["notepad", "notes"],
  ["notepad", "scratchpad", "tasks", "results"],
  [...surfaceNames],
];

/** Surfaces that need more than a name are chosen by a config. */
const configured = [...combinations, ["project"], ["sandbox"], [...surfaceNames, "project", "sandbox"]];

/** A project whose config chooses these surfaces. */
function projectWith(surfaces: readonly string[]): string {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "holdfast.json"), JSON.stringify({ surfaces }));
  return root;
}

test("the check finds a tool that is named but not offered, in either spelling [config.true-texts]", () => {
  assert.deepEqual(toolsNamedIn("Use session.scratchpad, call recall and recall_result."), [
    "session.scratchpad",
    "recall_result",
    "recall",
  ]);
  assert.throws(() => assertCallable("Call recall_result.", ["recall"], "a stub"), /recall_result/);
});

interface Sent {
  messages: readonly { role: string; content?: unknown }[];
  tools?: { function: { name: string } }[];
}

/** Checks a request: it names only tools that it offers, and its text about placement is true in it. */
function assertTrue({ messages, tools = [] }: Sent, surfaces: readonly string[], where: string): void {
  const offered = tools.map((tool) => tool.function.name);
  const text = JSON.stringify([messages, tools]);
  // A summarizer gets the conversation as text and no tools.
  if (tools.length > 0) assertCallable(text, offered, where);
  const newest = JSON.stringify(messages.findLast(({ role }) => role === "user"));
  if (/prepended to each message/.test(text) && /kept in the plan/.test(text))
    assert.match(newest, /\[Session Scratchpad\]/, `${where} promises the scratchpad in each message`);
  if (surfaces.includes("notepad") && /kept in the notepad/.test(text))
    assert.doesNotMatch(text, /\(empty/, `${where}: after the first write nothing says that it is empty`);
}

/** Two turns with a write in between; every request is checked. */
async function checkAgent(
  t: TestContext,
  surfaces: readonly SurfaceChoice[],
  placement: Placement,
): Promise<void> {
  const stage = await openStage(t, {
    script: () => ({ text: "Done." }),
    surfaces,
    placement,
    contextWindow: 60_000,
  });
  await stage.say("First.");
  await writeEverywhere(await stage.session());
  await stage.say("Second.");
  await stage.say("Third.");
  const names = surfaces.map((surface) => (typeof surface === "string" ? surface : surface.name));
  assertShown(stage.server.requests, names, `agent, ${placement}`);
}

function assertShown(requests: readonly Sent[], surfaces: readonly string[], where: string): void {
  for (const request of requests) assertTrue(request, surfaces, where);
  const last = JSON.stringify(requests.at(-1)?.messages);
  if (surfaces.includes("notepad")) assert.match(last, /kept in the notepad/);
  if (surfaces.includes("scratchpad")) assert.match(last, /kept in the plan/);
}

test("a surface that names a missing tool, or promises another placement, is caught [config.true-texts]", async (t) => {
  const liar = (text: string): Surface => ({ name: "liar", tools: [], guidance: () => text });
  await assert.rejects(checkAgent(t, ["notepad", liar("Call recall_result.")], "epoch"), /recall_result/);
  await assert.rejects(
    checkAgent(t, ["scratchpad", liar("It is prepended to each message you receive.")], "epoch"),
    /promises the scratchpad in each message/,
  );
  const empty = liar("Your notepad: (empty — use write_notepad)");
  await assert.rejects(checkAgent(t, ["notepad", empty], "epoch"), /nothing says that it is empty/);
});

for (const surfaces of combinations) {
  const title = surfaces.join(", ");
  for (const placement of placements) {
    test(`agent, ${placement}, ${title}: the promises hold in the next request [config.true-texts]`, async (t) => {
      await checkAgent(t, surfaces as never, placement);
      assertCallable(warningFor(surfaces), await toolsOf(surfaces), "the warning");
    });

    // Sub-sessions need an agent of Holdfast.
    const inSdk = surfaces.filter((name) => name !== "sessions");
    if (inSdk.length === 0) continue;
    test(`AI SDK, ${placement}, ${title}: the promises hold in the next request [config.true-texts]`, async (t) => {
      const stage = await openSdkStage(t, () => ({ text: "Done." }), { surfaces: inSdk as never });
      const messages: ModelMessage[] = [];
      const ask = async (content: string) => {
        messages.push({ role: "user", content });
        const result = await generateText({ ...stage.settings({ placement }), instructions: "x", messages });
        messages.push(...result.responseMessages);
      };
      await ask("First.");
      await writeEverywhere(stage.session);
      await ask("Second.");
      assertShown(stage.calls(), inSdk, `AI SDK, ${placement}`);
    });
  }

  test(`agent, ${title}: warnings, stubs, cuts, handoffs and receipts name only its tools [config.true-texts]`, async (t) => {
    let looks = 0;
    const stage = await openStage(t, {
      script: (request) => {
        if (isSummaryRequest(request)) return { text: plainSummary(request) };
        const canLook = request.tools?.some((tool) => tool.function.name === "look");
        return canLook && ++looks % 4 !== 0
          ? { toolCalls: [call("look", { reads: looks })] }
          : { text: "Looked." };
      },
      surfaces: surfaces as never,
      tools: { look: lookTool },
      contextWindow: 24_000,
      clearing: { keepLast: 1 },
    });
    const said: string[] = [];
    for (let turn = 1; turn <= 4; turn++) {
      const { events } = await stage.say(`Look around, part ${turn}. ${filler(3_000)}`);
      said.push(...events.map(({ type }) => type));
    }
    assert.ok(said.includes("warning") && said.includes("receipt"), `it was compacted: ${said}`);
    const all = JSON.stringify(stage.server.requests);
    assert.equal(/Call recall_result with id/.test(all), surfaces.includes("results"));
    for (const request of stage.server.requests) assertTrue(request, surfaces, "a long conversation");
  });
}

for (const placement of placements) {
  test(`agent, ${placement}, notepad, project, sandbox: the promises hold in the next request [config.true-texts]`, async (t) => {
    const root = temporaryDirectory();
    initProject(openProject({ root }));
    const workspace = { project: findProject(root), config: { values: {} } };
    const surfaces = await loadSurfaces(["notepad", "project", "sandbox"], workspace);
    await checkAgent(t, surfaces, placement);
  });
}

for (const surfaces of configured) {
  const title = surfaces.join(", ");
  test(`MCP, ${title}: instructions and descriptions name only its tools [config.true-texts]`, async () => {
    const root = projectWith(surfaces);
    const workspace = { project: findProject(root), config: { values: { surfaces: surfaces as never } } };
    const served = await loadSurfaces(chosenSurfaces(workspace), workspace);
    const tools = createToolbox(served, { limits: defaultLimits, countTokens: () => 0 }, inHost).describe();
    const offered = tools.map(({ name }) => dotless(name));
    const texts = [instructionsOf(served), JSON.stringify(tools.map(({ name: _name, ...rest }) => rest))];
    assertCallable(texts.join("\n"), offered, "MCP");
    assert.doesNotMatch(texts.join("\n"), /prepended to each message|collapse/);
  });

  test(`pi and OpenClaw, ${title}: memory is placed as the guidance describes [config.true-texts]`, async (t) => {
    for (const open of [openPi, openOpenClaw]) {
      const host = await open(t, projectWith(surfaces));
      assertCallable(await host.prompt(), host.offered, host.name);
      assert.doesNotMatch(await host.prompt(), /prepended to each message|collapse to one line/);
    }
  });
}

for (const surfaces of configured) {
  test(`a hook with ${surfaces.join(", ")} shows only them and names only their tools [config.true-texts] [config.hook-surfaces]`, async () => {
    const project = await hookProject();
    writeFileSync(join(project.root, "holdfast.json"), JSON.stringify({ surfaces }));
    if (surfaces.includes("project")) initProject(openProject({ root: project.root }));
    const offered = await toolsOf(surfaces);
    const transcript_path = claudeTranscript(project);
    const send = async (hook_event_name: string, more: object = {}) => {
      const event = { session_id: "s", transcript_path, hook_event_name, ...more };
      const { stdout, failures } = await hook(project, "claude-code", event);
      assert.deepEqual(failures, []);
      assertCallable(stdout, offered, `${hook_event_name} with ${surfaces}`);
      assert.doesNotMatch(stdout, /prepended to each message|collapse/);
      return stdout;
    };
    await send("SessionStart", { source: "startup" });
    await inMemory(project, async (memory) => writeEverywhere(await memory.openSession("claude-code.s")));
    const assertObeys = (text: string) => {
      assert.equal(/kept in the notepad/.test(text), surfaces.includes("notepad"), text);
      assert.equal(/kept in the plan/.test(text), surfaces.includes("scratchpad"), text);
    };
    assertObeys(await send("UserPromptSubmit"));
    await send("PreCompact", { trigger: "auto" });
    const restarted = await send("SessionStart", { source: "compact" });
    assertObeys(restarted);
    assert.match(restarted, /\[Handoff/);
    await send("SessionStart", { source: "clear", session_id: "s2" });
  });
}

test("over MCP nothing is promised that only a hook or a plugin does, and the tools return it [config.true-texts]", async () => {
  const workspace = { project: findProject(temporaryDirectory()), config: { values: {} } };
  const text = instructionsOf(await loadSurfaces(knownSurfaces, workspace));
  assert.doesNotMatch(text, /shown first in every turn|project memory block|edit_system_prompt/);
  assert.match(text, /- session\.scratchpad: read\(\)/, "in a program it is an object, not a tool");
  assert.match(text, /persistent scratchpad tool \(session_scratchpad\)/);
  const memory = await openMemory({ store: "memory:", surfaces: ["scratchpad", "notepad"] });
  const session = await memory.createSession();
  const read = async () => {
    const answer = await session.call("session_scratchpad", {});
    return answer.ok ? answer.text : answer.code;
  };
  assert.equal(await read(), "The scratchpad is empty.");
  await session.call("session_scratchpad", { action: "set_plan", content: "1. Count the rows" });
  assert.equal(await read(), "[Session Scratchpad]\nPlan:\n1. Count the rows\n[End Scratchpad]");
  await memory.close();
});

test("the sandbox's guidance names only surfaces that the agent gets [config.sandbox-surfaces]", async () => {
  const workspace = { project: findProject(temporaryDirectory()), config: { values: {} } };
  const guidance = async (...names: string[]) =>
    guidanceOf(await loadSurfaces(["sandbox", ...names], workspace), {
      limits: defaultLimits,
      presentation: inHost,
    });
  assert.match(await guidance("notepad"), /session\.notepad: read[\s\S]+append progress to the notepad/);
  assert.doesNotMatch(await guidance("notepad"), /session\.notes|session\.scratchpad/);
  assert.match(await guidance("notes"), /session\.notes: add[\s\S]+add a note of your progress/);
  assert.doesNotMatch(await guidance("notes"), /notepad|session\.scratchpad/);
  assert.doesNotMatch(await guidance(), /notepad|session\.notes|scratchpad/);
});

test("results are cleared only where the agent can recall them [config.clearing]", async (t) => {
  for (const surfaces of [["notepad"], ["notepad", "results"]] as const) {
    let reads = 0;
    const stage = await openStage(t, {
      script: () =>
        ++reads <= 6 ? { toolCalls: [call("read_notepad", {}), call("look", { reads })] } : { text: "Done." },
      surfaces,
      tools: { look: lookTool },
      contextWindow: 60_000,
      clearing: { keepLast: 1 },
    });
    const { events } = await stage.say("Look around.");
    assert.equal(ofType(events, "clearing").length > 0, surfaces.length === 2);
  }
});

test("the warning names the agent's memory, and is the seed's text where it has the notepad [config.warning]", () => {
  assert.match(warningFor(["notepad", "notes"]), /Review your session notepad and update it/);
  assert.match(
    warningFor(["scratchpad", "notes"]),
    /Review your session scratchpad \(session_scratchpad\) and your notes \(add_note\)/,
  );
  assert.doesNotMatch(warningFor(["scratchpad"]), /notepad/);
  assert.equal(warningFor(["pins", "recall"]), "", "there is nowhere to save anything");
});

/** The tools that a host offers with these surfaces, by their dotless names. */
async function toolsOf(surfaces: readonly string[]): Promise<string[]> {
  const workspace = { project: findProject(temporaryDirectory()), config: { values: {} } };
  const served = await loadSurfaces(surfaces as never, workspace);
  return served.flatMap(({ tools }) => tools.map(({ name }) => dotless(name)));
}

type Writable = Awaited<ReturnType<Awaited<ReturnType<typeof openStage>>["session"]>>;

async function writeEverywhere(session: Writable): Promise<void> {
  const person = { actor: { kind: "person" as const } };
  await session.notepad.write("kept in the notepad", person);
  await session.scratchpad.setPlan("kept in the plan", person);
}

interface Host {
  name: string;
  offered: readonly string[];
  prompt(): Promise<string>;
}

async function openPi(t: TestContext, root: string): Promise<Host> {
  const before = process.cwd();
  process.chdir(root);
  t.after(() => process.chdir(before));
  const pi = new FakePi({ cwd: root, id: "s" });
  await piExtension(pi);
  process.chdir(before);
  await pi.emit("session_start", { reason: "startup" });
  t.after(() => pi.emit("session_shutdown"));
  pi.say("user", "Go on.");
  return { name: "pi", offered: [...pi.tools.keys()], prompt: async () => shownIn(await pi.modelCall()) };
}

async function openOpenClaw(_t: TestContext, root: string): Promise<Host> {
  const handlers = new Map<string, (event: never, context: OpenClawContext) => unknown>();
  let factory: ((context: OpenClawContext) => OpenClawTool[] | null) | undefined;
  openClawPlugin.register({
    on: (name, handler) => void handlers.set(name, handler),
    registerTool: (made) => {
      factory = made;
    },
  });
  const context = { sessionKey: root, sessionId: root, workspaceDir: root };
  const event = { prompt: "", messages: [] } as never;
  return {
    name: "OpenClaw",
    offered: (factory?.(context) ?? []).map(({ name }) => name),
    prompt: async () => JSON.stringify(await handlers.get("before_prompt_build")?.(event, context)),
  };
}
