import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { warningFor } from "../src/compaction/notices.ts";
import { placements } from "../src/context/placement.ts";
import { defaultLimits } from "../src/engine/limits.ts";
import type { OpenClawContext, OpenClawTool } from "../src/hosts/openclaw/api.ts";
import openClawPlugin from "../src/hosts/openclaw/index.ts";
import piExtension from "../src/hosts/pi/index.ts";
import { FakePi, shownIn } from "../src/hosts/pi/test-support/fake-pi.ts";
import { openMemory, surfaceNames } from "../src/index.ts";
import { instructionsOf } from "../src/mcp/server.ts";
import { inHost } from "../src/surfaces/surface.ts";
import { createToolbox, dotless } from "../src/surfaces/toolbox.ts";
import { findProject } from "../src/workspace/project.ts";
import { chosenSurfaces, knownSurfaces, loadSurfaces } from "../src/workspace/surfaces.ts";
import { call, ofType, openStage } from "./support/agent.ts";
import { hook, hookProject } from "./support/hook.ts";
import { temporaryDirectory } from "./support/temporary.ts";

/** Every tool name that exists, in both spellings. A text that contains one names a tool. */
const allTools = await allToolNames();

async function allToolNames(): Promise<string[]> {
  const project = findProject(temporaryDirectory());
  const surfaces = await loadSurfaces(knownSurfaces, { project, config: { values: {} } });
  return surfaces.flatMap(({ tools }) => tools.flatMap(({ name }) => [name, dotless(name)]));
}

/** The tools that a text names. `recall` and `archive` are also words, so they count only after "call". */
function toolsNamedIn(text: string): string[] {
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

for (const surfaces of combinations) {
  const title = surfaces.join(", ");
  for (const placement of placements) {
    test(`agent, ${placement}, ${title}: what is promised holds in the next request [config.true-texts]`, async (t) => {
      const stage = await openStage(t, {
        script: () => ({ text: "Done." }),
        surfaces: surfaces as never,
        placement,
        contextWindow: 60_000,
      });
      const session = await stage.session();
      await stage.say("First.");
      await writeEverywhere(session);
      await stage.say("Second.");
      const request = stage.server.requests.at(-1);
      const offered = (request?.tools ?? []).map((tool) => tool.function.name);
      const text = JSON.stringify([request?.messages, request?.tools]);
      assertCallable(text, offered, "the prompt");
      assertCallable(warningFor(surfaces), offered, "the warning");
      const newest = JSON.stringify(request?.messages.at(-1));
      if (/prepended to each message/.test(text)) assert.match(newest, /\[Session Scratchpad\]/);
      if (surfaces.includes("notepad")) {
        assert.match(text, /kept in the notepad/);
        assert.doesNotMatch(text, /\(empty/, "after the first write nothing says that it is empty");
      }
      if (surfaces.includes("scratchpad")) assert.match(text, /kept in the plan/);
    });
  }

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

  test(`pi and OpenClaw, ${title}: memory is placed as the guidance says [config.true-texts]`, async (t) => {
    for (const open of [openPi, openOpenClaw]) {
      const host = await open(t, projectWith(surfaces));
      assertCallable(await host.prompt(), host.offered, host.name);
      assert.doesNotMatch(await host.prompt(), /prepended to each message|collapse to one line/);
    }
  });
}

test("a hook names only the tools of the configured surfaces [config.true-texts]", async () => {
  for (const surfaces of [["scratchpad"], ["notes"], ["notepad"]]) {
    const project = await hookProject();
    writeFileSync(join(project.root, "holdfast.json"), JSON.stringify({ surfaces }));
    const event = { session_id: "s", hook_event_name: "SessionStart", source: "startup" };
    const { context } = await hook(project, "claude-code", event);
    const offered = (await openMemory({ store: "memory:", surfaces: surfaces as never }))
      .tools()
      .map(({ name }) => dotless(name));
    assertCallable(context, offered, `a hook with ${surfaces}`);
  }
});

test("results are cleared only where the agent can recall them [config.clearing]", async (t) => {
  for (const surfaces of [["notepad"], ["notepad", "results"]] as const) {
    let reads = 0;
    const stage = await openStage(t, {
      script: () =>
        ++reads <= 6 ? { toolCalls: [call("read_notepad", {}), call("look", { reads })] } : { text: "Done." },
      surfaces,
      tools: { look: (await import("./support/look-tool.ts")).lookTool },
      contextWindow: 60_000,
      clearing: { keepLast: 1, cachedPrice: 1, writePrice: 1 },
    });
    const { events } = await stage.say("Look around.");
    assert.equal(ofType(events, "clearing").length > 0, surfaces.length === 2);
  }
});

test("the warning names what the agent has, and the seed's text where it has the notepad [config.warning]", () => {
  assert.match(warningFor(["notepad", "notes"]), /Review your session notepad and update it/);
  assert.match(
    warningFor(["scratchpad", "notes"]),
    /Review your session scratchpad \(session_scratchpad\) and your notes \(add_note\)/,
  );
  assert.doesNotMatch(warningFor(["scratchpad"]), /notepad/);
});

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
