import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { initProject, openProject } from "../../surfaces/project/index.ts";
import { findProject } from "../../workspace/project.ts";
import { readFailures } from "../failures.ts";
import type { OpenClawApi, OpenClawContext, OpenClawEntry, OpenClawResult, OpenClawTool } from "./api.ts";
import plugin from "./index.ts";
import { OpenClawMemory } from "./openclaw-memory.ts";
import type { OpenClawTranscript } from "./transcript.ts";

type ResultHandler = Parameters<NonNullable<OpenClawApi["registerAgentToolResultMiddleware"]>>[0];
type Handler = (event: never, context: OpenClawContext) => unknown;

/** OpenClaw as a plugin sees it: each registration gets its own registry. */
class FakeOpenClaw implements OpenClawApi {
  readonly handlers = new Map<string, Handler[]>();
  readonly warnings: string[] = [];
  readonly logger = { warn: (message: string) => void this.warnings.push(message) };
  names: string[] = [];
  registrations = 0;
  #factory: ((context: OpenClawContext) => OpenClawTool[] | null) | undefined;

  config: OpenClawApi["config"];
  pluginConfig: OpenClawApi["pluginConfig"];
  #onResult: ResultHandler | undefined;

  registerAgentToolResultMiddleware(handler: ResultHandler): void {
    this.#onResult = handler;
  }

  /** The model's view of a tool's result. */
  async toolResult(result: OpenClawResult, context: OpenClawContext): Promise<string> {
    const changed = await this.#onResult?.({ result }, context);
    return (changed?.result ?? result).content.map(({ text }) => text).join("\n");
  }

  registerTool(
    factory: (context: OpenClawContext) => OpenClawTool[] | null,
    { names }: { names: string[] },
  ): void {
    this.registrations++;
    this.#factory = factory;
    this.names = names;
  }

  on(hook: string, handler: Handler): void {
    this.handlers.set(hook, [...(this.handlers.get(hook) ?? []), handler]);
  }

  tools(context: OpenClawContext): OpenClawTool[] {
    return this.#factory?.(context) ?? [];
  }

  async call(context: OpenClawContext, name: string, input: unknown, id = "call_1"): Promise<string> {
    const tool = this.tools(context).find((found) => found.name === name);
    assert.ok(tool, `no tool ${name}`);
    return (await tool.execute(id, input)).content.map(({ text }) => text).join("");
  }

  async emit(
    hook: string,
    event: object,
    context: OpenClawContext,
  ): Promise<Record<string, string> | undefined> {
    let result: unknown;
    for (const handler of this.handlers.get(hook) ?? []) result = await handler(event as never, context);
    return result as Record<string, string> | undefined;
  }

  /** Everything that the plugin adds to a prompt. */
  async prompt(context: OpenClawContext): Promise<string> {
    const added = await this.emit("before_prompt_build", { prompt: "", messages: [] }, context);
    return Object.values(added ?? {}).join("\n");
  }
}

let started = 0;

/** Most of these tests are about the notepad. */
function start(
  surfaces: readonly string[] | null = ["notepad", "notes", "pins"],
  given: Partial<FakeOpenClaw> = {},
): { openclaw: FakeOpenClaw; context: OpenClawContext; workspaceDir: string } {
  const workspaceDir = temporaryDirectory();
  mkdirSync(join(workspaceDir, ".git"));
  if (surfaces) writeFileSync(join(workspaceDir, "holdfast.json"), JSON.stringify({ surfaces }));
  const openclaw = Object.assign(new FakeOpenClaw(), given);
  plugin.register(openclaw);
  return {
    openclaw,
    workspaceDir,
    // The plugin has one memory for the whole process, as in a gateway.
    context: { sessionKey: `agent:main:${++started}`, sessionId: "s1", workspaceDir },
  };
}

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../../openclaw.plugin.json"), "utf8"));

test("the tools match the manifest, and OpenClaw accepts their names and schemas [plugins.openclaw-tools]", async () => {
  const { openclaw, context, workspaceDir } = start(null);
  assert.deepEqual(openclaw.names, manifest.contracts.tools);
  const names = () => openclaw.tools(context).map(({ name }) => name);
  const basic = ["pin", "unpin", "list_pins", "recall", "session_scratchpad"];
  assert.deepEqual(names(), basic, "without NOTES.md, none of the project's");
  initProject(openProject({ root: workspaceDir }));
  assert.deepEqual(names(), [...basic, ...openclaw.names.slice(openclaw.names.indexOf("recover_context"))]);
  const tools = openclaw.tools(context);
  for (const { name, parameters } of tools) {
    assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.equal(parameters.type, "object");
  }
  assert.match(await openclaw.call(context, "session_scratchpad", { content: "cedar" }), /ok|updated/i);
  await assert.rejects(openclaw.call(context, "session_scratchpad", { action: "set_plan" }), /content/);
});

test("OpenClaw's own config switches the scratchpad off and sets its budget; ours overrides it [plugins.scratchpad]", async () => {
  const inConfig = (scratchpad: unknown) => ({
    config: { agents: { defaults: { claudeSdk: { scratchpad } } } },
  });
  const off = start(null, inConfig({ enabled: false }));
  assert.ok(!off.openclaw.tools(off.context).some(({ name }) => name === "session_scratchpad"));
  assert.doesNotMatch(await off.openclaw.prompt(off.context), /scratchpad/i);
  const small = start(null, inConfig({ maxTokens: 25 }));
  const long = { action: "set_notes", content: "word ".repeat(200) };
  assert.match(
    await small.openclaw.call(small.context, "session_scratchpad", long),
    /truncated to 25 tokens/,
  );
  const pluginConfig = { scratchpad: { enabled: true } };
  const on = start(null, { ...inConfig({ enabled: false }), pluginConfig });
  assert.ok(on.openclaw.tools(on.context).some(({ name }) => name === "session_scratchpad"));
  start(null);
});

/** A transcript as OpenClaw keeps it. */
function fakeTranscript(entries: OpenClawEntry[]): OpenClawTranscript {
  return {
    entries: async () => entries,
    append: async (added) =>
      void entries.push(...added.map(([customType, data]) => ({ type: "custom", customType, data }))),
  };
}

test("the scratchpad is read from the session's own entries and written to them [plugins.scratchpad]", async (t) => {
  const { context, workspaceDir } = start(null);
  const report = (error: unknown) => assert.fail(String(error));
  const entries: OpenClawEntry[] = [
    { type: "custom", customType: "openclaw:scratchpad:plan", data: "before the reset" },
    { type: "reset" },
    { type: "custom", customType: "openclaw:scratchpad", data: "Root cause: timezone" },
    { type: "custom", customType: "openclaw:scratchpad:refs", data: ["src/auth.ts"] },
  ];
  const open = async () => {
    const memory = new OpenClawMemory();
    memory.openTranscript = async () => fakeTranscript(entries);
    t.after(() => memory.close(report));
    const { news, head } = await memory.texts(context, [], report);
    return { memory, shown: `${head}\n${news}` };
  };
  const { memory, shown } = await open();
  assert.match(shown, /\[Session Scratchpad\]\nRoot cause: timezone\n\nReferences:\n• src\/auth\.ts\n\[End/);
  const write = { id: "c1", name: "session.scratchpad", readOnly: false };
  await memory.call(context, { ...write, input: { action: "set_plan", content: "1. Add a test" } }, report);
  await memory.call(
    context,
    { ...write, id: "c2", input: { action: "append_notes", content: "It is UTC." } },
    report,
  );
  assert.deepEqual(
    entries.slice(4).map(({ customType, data }) => [customType, data]),
    [
      ["openclaw:scratchpad:plan", "1. Add a test"],
      ["openclaw:scratchpad:notes", "Root cause: timezone\nIt is UTC."],
    ],
  );
  await memory.close(report);
  rmSync(findProject(workspaceDir).directory, { recursive: true });
  assert.match(
    (await open()).shown,
    /timezone\nIt is UTC\.\n\nPlan:\n1\. Add a test/,
    "another store has it too",
  );
});

test("recall finds what OpenClaw's transcript has and the context no longer [plugins.scratchpad]", async (t) => {
  const { context } = start(null);
  const report = (error: unknown) => assert.fail(String(error));
  const said = (id: string, role: string, text: string) => ({
    type: "message",
    id,
    message: { role, content: [{ type: "text", text }] },
  });
  const memory = new OpenClawMemory();
  t.after(() => memory.close(report));
  memory.openTranscript = async () =>
    fakeTranscript([
      said("m1", "user", "The ledger is cedar-4711."),
      said("m2", "assistant", "Noted."),
      said("m3", "user", "Go on with the ledger."),
      { type: "compaction", id: "c1", firstKeptEntryId: "m3" },
    ]);
  const call = { id: "r1", name: "recall", readOnly: true, input: { query: "ledger" } };
  const { text } = await memory.call(context, call, report);
  assert.match(text, /cedar-4711/);
  assert.doesNotMatch(text, /Go on/);
});

test("the agent is warned with a tool's result, once, and not in a half-empty context [plugins.openclaw-warning]", async () => {
  const { openclaw, context } = start(null);
  // OpenClaw loads the module once more for the results of tools.
  const results = new FakeOpenClaw();
  const copy: { default: typeof plugin } = await import(new URL("./index.ts?copy", import.meta.url).href);
  copy.default.register(results);
  const run = { ...context, modelId: "m-warned", agentId: "main" };
  await openclaw.emit("before_prompt_build", { prompt: "", messages: [] }, run);
  await openclaw.emit("model_call_started", { model: "m-warned", contextTokenBudget: 200_000 }, run);
  const { sessionKey } = context;
  const result = async (input: number) => {
    const message = {
      role: "assistant",
      content: [],
      usage: { input, output: 100, cacheRead: 0, cacheWrite: 0 },
    };
    await openclaw.emit("before_message_write", { message }, { sessionKey });
    return results.toolResult({ content: [{ type: "text", text: "3 files" }], details: {} }, { sessionKey });
  };
  assert.equal(await result(90_000), "3 files");
  assert.match(
    await result(176_000),
    /^3 files\n[\s\S]*approaching the token limit[\s\S]*session_scratchpad/,
  );
  assert.equal(await result(177_000), "3 files");
});

test("the prompt contains the current memory; sessions do not see each other [plugins.openclaw-prompt]", async () => {
  const { openclaw, context } = start();
  const before = await openclaw.emit("before_prompt_build", {}, context);
  assert.match(before?.appendSystemContext ?? "", /## Session Notepad/);
  await openclaw.call(context, "write_notepad", { content: "The ledger is cedar-4711." });
  const written = await openclaw.emit("before_prompt_build", {}, context);
  assert.match(
    written?.appendSystemContext ?? "",
    /## Session Notepad\nThe ledger is cedar-4711\./,
    "the hint goes",
  );
  await openclaw.call(context, "update_notepad", { operation: "append", content: "It is kept by Ada." });
  const later = await openclaw.emit("before_prompt_build", {}, context);
  assert.equal(later?.appendSystemContext, written?.appendSystemContext, "the provider's cache needs it");
  assert.match(later?.prependContext ?? "", /cedar-4711\.\nIt is kept by Ada\./);
  const other = { ...context, sessionKey: "agent:ops:main" };
  assert.doesNotMatch(await openclaw.call(other, "read_notepad", {}), /cedar/);
});

for (const [placement, place] of [
  ["system", "appendSystemContext"],
  ["message", "prependContext"],
] as const)
  test(`with the placement "${placement}" the current memory is in every prompt, once [plugins.openclaw-prompt]`, async () => {
    const { openclaw, workspaceDir, ...started } = start();
    const context = { ...started.context, sessionKey: placement };
    writeFileSync(join(workspaceDir, "holdfast.json"), JSON.stringify({ placement, surfaces: ["notepad"] }));
    for (const content of ["port 8443", "port 9000"]) {
      await openclaw.call(context, "write_notepad", { content });
      const added = await openclaw.emit("before_prompt_build", {}, context);
      assert.match(added?.[place] ?? "", new RegExp(`## Session Notepad\n${content}`));
      assert.equal(JSON.stringify(added).split("port").length - 1, 1);
    }
  });

test("a person's change is in the next prompt [plugins.openclaw-prompt]", async () => {
  const { openclaw, context, workspaceDir } = start();
  await openclaw.call(context, "write_notepad", { content: "plan A" });
  await openclaw.prompt(context);
  const memory = await openMemory({ store: join(findProject(workspaceDir).directory, "memory.db") });
  const [session] = await memory.listSessions();
  assert.equal(session?.title, context.sessionKey, "the id is a hash");
  await (await memory.resumeSession(session?.id ?? "")).notepad.append("Ask Ada first.", {
    actor: { kind: "person" },
  });
  await memory.close();
  const added = await openclaw.emit("before_prompt_build", {}, context);
  assert.match(added?.prependContext ?? "", /plan A\nAsk Ada first\./);
});

test("after a compaction the prompt has handoff, receipt and the whole notepad, also under a new session id [plugins.openclaw-compaction]", async () => {
  const { openclaw, context } = start();
  await openclaw.prompt(context);
  await openclaw.call(context, "write_notepad", { content: "The ledger is cedar-4711." });
  const messages = [
    { role: "user", content: "Audit src/ledger.ts, please." },
    {
      role: "assistant",
      content: [{ type: "toolCall", id: "c1", name: "read", arguments: { path: "src/ledger.ts" } }],
    },
  ];
  // OpenClaw does not wait for either of them.
  void openclaw.emit("before_compaction", { messageCount: 2, messages }, context);
  void openclaw.emit(
    "after_compaction",
    { messageCount: 1, compactedCount: 2 },
    { ...context, sessionId: "s2" },
  );
  const left = /\[Handoff[\s\S]*Audit src\/ledger\.ts[\s\S]*\[Receipt:[\s\S]*cedar-4711/;
  assert.match(await openclaw.prompt({ ...context, sessionId: "s2" }), left);
  await openclaw.emit("gateway_stop", {}, context);
  assert.match(await openclaw.prompt(context), left, "a restarted gateway has it too");
});

test("a new session is shown nothing of another one, which may be another person's [plugins.earlier-sessions]", async () => {
  const { openclaw, context } = start();
  const session = (name: string) => ({ ...context, sessionKey: `agent:main:${name}` });
  const empty = await openclaw.prompt(session("empty"));
  await openclaw.call(session("first"), "write_notepad", { content: "- [ ] Ask Ada for cedar-4711." });
  assert.equal(await openclaw.prompt(session("second")), empty);
});

test("a reset starts with an empty memory and archives the old one [plugins.openclaw-reset]", async () => {
  const { openclaw, context, workspaceDir } = start();
  await openclaw.call(context, "write_notepad", { content: "cedar" });
  await openclaw.emit("before_reset", { reason: "new" }, context);
  assert.doesNotMatch(await openclaw.prompt(context), /cedar/);
  await openclaw.call(context, "write_notepad", { content: "birch" });
  await openclaw.emit("gateway_stop", {}, {});
  assert.match(await openclaw.call(context, "read_notepad", {}), /birch/, "also after a restart");
  const memory = await openMemory({ store: join(findProject(workspaceDir).directory, "memory.db") });
  const [old] = await memory.listSessions({ status: "archived" });
  assert.equal(await (await memory.resumeSession(old?.id ?? "")).notepad.read(), "cedar");
  await memory.close();
});

test("repeated registration has no effect [plugins.openclaw-register]", async () => {
  const { openclaw, context } = start();
  plugin.register(openclaw);
  assert.equal(openclaw.registrations, 1);
  assert.equal(openclaw.handlers.get("before_prompt_build")?.length, 1);
  await openclaw.call(context, "write_notepad", { content: "cedar" });
  const again = new FakeOpenClaw();
  plugin.register(again);
  assert.match(await again.call(context, "read_notepad", {}), /cedar/);
});

test("if the memory cannot be opened, the prompt is unchanged and one warning is logged [plugins.failure]", async () => {
  const { openclaw, context, workspaceDir } = start();
  mkdirSync(findProject(workspaceDir).directory);
  writeFileSync(
    join(findProject(workspaceDir).directory, "memory.db"),
    "this is not a database, but long enough to be read as one ".repeat(20),
  );
  assert.equal(await openclaw.emit("before_prompt_build", {}, context), undefined);
  assert.equal(await openclaw.emit("before_prompt_build", {}, context), undefined);
  assert.equal(openclaw.warnings.length, 1);
  assert.equal(readFailures(findProject(workspaceDir).directory)[0]?.host, "openclaw");
});

test("package.json names the plugins for pi and OpenClaw [plugins.package]", () => {
  const { keywords, pi, openclaw, exports, files } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"),
  );
  assert.ok(keywords.includes("pi-package"));
  assert.deepEqual(pi.extensions, [exports["./pi"].default]);
  assert.deepEqual(openclaw.extensions, [exports["./openclaw"].default]);
  assert.ok(openclaw.compat.pluginApi && exports["./opencode"].default);
  assert.ok(files.includes("openclaw.plugin.json"));
  assert.equal(manifest.id, plugin.id);
});

test("after a compaction a pin comes first, in the user's words [pins.hosts]", async () => {
  const { openclaw, context } = start();
  await openclaw.prompt(context);
  await openclaw.call(context, "pin", { text: "Never push to main without asking me." });
  const messages = [{ role: "user", content: "Release it.", timestamp: 0 }];
  await openclaw.emit("before_compaction", { messages }, context);
  await openclaw.emit("after_compaction", { compactedCount: 1 }, context);
  assert.match(
    await openclaw.prompt(context),
    /\[Pins: [^\n]+\]\np1: Never push to main without asking me\.\n/,
  );
});

test("a call that OpenClaw runs again is applied once [plugins.repeated-calls]", async () => {
  const { openclaw, context } = start();
  const input = { content: "cedar-4711", tags: [] };
  const first = await openclaw.call(context, "add_note", input, "toolu_015VxYz123");
  assert.equal(await openclaw.call(context, "add_note", input, "toolu_015VxYz123"), first);
  await openclaw.call(context, "add_note", input, "toolu_another456");
  const listed = await openclaw.call(context, "list_notes", {}, "toolu_list7890");
  assert.equal(listed.split("cedar-4711").length - 1, 2);
});
