import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { readFailures } from "../failures.ts";
import { readHookState } from "../hook/state.ts";
import type { OpencodeMessage } from "../opencode-family/plugin.ts";
import holdfast from "./index.ts";

// A busy machine must not trip the deadline.
process.env.HOLDFAST_HOOK_DEADLINE = "60000";

const cli = join(import.meta.dirname, "../../cli.ts");
const config = { mcp: { holdfast: { type: "local", command: [process.execPath, cli, "mcp"] } } };

/** opencode as a plugin sees it: every call gets copies of the stored messages. */
async function startOpencode(command: Record<string, unknown> = config) {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, ".git"));
  const stored: OpencodeMessage[] = [];
  const client = {
    session: {
      messages: async ({ path }: { path: { id: string } }) => ({
        data: stored.filter(({ info }) => info.sessionID === path.id),
      }),
    },
  };
  let hooks = await holdfast({ directory, client });
  await hooks.config(command);
  const add = (sessionID: string, role: string, text: string, more: object = {}) => {
    const id = `msg_${stored.length}`;
    const part = { id: `prt_${stored.length}`, messageID: id, sessionID, type: "text", text };
    stored.push({ info: { id, sessionID, role, ...more }, parts: [part] });
    return id;
  };
  return {
    directory,
    get hooks() {
      return hooks;
    },
    stored,
    add,
    /** A new process: the plugin knows nothing of the one before. */
    async restart(): Promise<void> {
      hooks = await holdfast({ directory, client });
      await hooks.config(command);
    },
    async ask(sessionID: string, text: string): Promise<string> {
      await hooks["chat.message"]({ sessionID }, { message: { id: add(sessionID, "user", text) } });
      return this.modelCall(sessionID);
    },
    /** The input of the model: each part of each message. */
    async modelCall(sessionID: string): Promise<string> {
      const messages = structuredClone(stored.filter(({ info }) => info.sessionID === sessionID));
      await hooks["experimental.chat.messages.transform"]({}, { messages });
      return messages.flatMap(({ parts }) => parts.map(({ text }) => String(text))).join("\n---\n");
    },
    async write(sessionID: string, content: string, kind: "agent" | "person" = "agent"): Promise<void> {
      const memory = await openMemory({ store: join(findProject(directory).directory, "memory.db") });
      const session = await memory.openSession(`opencode.${sessionID}`);
      await session.notepad.append(content, { actor: { kind } });
      await memory.close();
    },
  };
}

/** The session that an MCP server started by this process would use. */
function linkedSession(directory: string): string {
  const link = join(import.meta.dirname, "../session-link.ts");
  const code = `import { followSession } from ${JSON.stringify(link)};
    console.log(await followSession({ directory: ${JSON.stringify(findProject(directory).directory)}, cwd: ${JSON.stringify(directory)} }).current());`;
  return spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" }).stdout.trim();
}

test("memory goes before the user's first message in every call, and is stored nowhere [plugins.opencode-placement]", async () => {
  const opencode = await startOpencode();
  await opencode.write("ses_a", "The ledger is cedar-4711.");
  const first = await opencode.ask("ses_a", "Go on with the ledger.");
  assert.match(first, /^\[Holdfast\][\s\S]*cedar-4711[\s\S]*\n---\nGo on with the ledger\.$/);
  opencode.add("ses_a", "assistant", "I will.");
  const second = await opencode.modelCall("ses_a");
  assert.equal(second.split("cedar-4711").length, 2, "once, even after several calls");
  assert.ok(second.startsWith(first), "the provider's cache stays valid");
  assert.doesNotMatch(JSON.stringify(opencode.stored), /cedar-4711/);
});

test("a person's change comes with the next message and stays there [plugins.opencode-placement]", async () => {
  const opencode = await startOpencode();
  await opencode.write("ses_a", "plan A");
  await opencode.ask("ses_a", "Begin.");
  await opencode.write("ses_a", "Ask Ada first.", "person");
  const changed = await opencode.ask("ses_a", "Go on.");
  assert.match(
    changed,
    /Begin\.\n---\n\[Holdfast\] Your working memory as it is now\. A person has changed it[\s\S]*Ask Ada first\.[\s\S]*\n---\nGo on\.$/,
  );
  assert.ok((await opencode.ask("ses_a", "And now?")).startsWith(changed));
});

test("the hint of an empty notepad is gone once something is written [plugins.opencode-placement]", async () => {
  const opencode = await startOpencode();
  assert.match(await opencode.ask("ses_a", "Begin."), /## Session Notepad\n\(empty — /);
  await opencode.write("ses_a", "plan A");
  const asked = await opencode.ask("ses_a", "Go on.");
  assert.match(asked, /^\[Holdfast\][\s\S]*## Session Notepad\nplan A\n[\s\S]*\n---\nBegin\.\n---\nGo on\.$/);
  assert.doesNotMatch(asked, /\(empty — /);
});

for (const [placement, expected] of [
  ["message", /^Begin\.\n---\n\[Holdfast\][\s\S]*## Session Notepad\nplan A\nstep 2[\s\S]*\n---\nGo on\.$/],
  ["system", /^Begin\.\n---\nGo on\.\n---\n\[Holdfast\][\s\S]*## Session Notepad\nplan A\nstep 2/],
] as const)
  test(`with the placement "${placement}" the current memory is there, once [plugins.opencode-placement]`, async () => {
    const opencode = await startOpencode();
    writeFileSync(join(opencode.directory, "holdfast.json"), JSON.stringify({ placement }));
    await opencode.restart();
    await opencode.write("ses_a", "plan A");
    await opencode.ask("ses_a", "Begin.");
    await opencode.write("ses_a", "step 2");
    const asked = await opencode.ask("ses_a", "Go on.");
    const system: string[] = [];
    await opencode.hooks["experimental.chat.system.transform"]({ sessionID: "ses_a" }, { system });
    const shown = [asked, ...system].join("\n---\n");
    assert.match(shown, expected);
    assert.equal(shown.split("## Session Notepad").length - 1, 1);
  });

test("the summarizer learns what to keep without the memory, and the next call has handoff and receipt [plugins.opencode-compaction]", async () => {
  const opencode = await startOpencode();
  await opencode.write("ses_a", "The ledger is cedar-4711.");
  await opencode.ask("ses_a", "Audit src/ledger.ts, please.");
  const output = { context: [] as string[] };
  await opencode.hooks["experimental.session.compacting"]({ sessionID: "ses_a" }, output);
  assert.match(
    output.context.join("\n"),
    /The user's messages word for word, .* are kept outside the conversation/,
  );
  assert.doesNotMatch(
    await opencode.modelCall("ses_a"),
    /cedar-4711/,
    "these messages are for the summariser",
  );

  const transcript = join(findProject(opencode.directory).directory, "transcripts/opencode.ses_a.jsonl");
  assert.match(readFileSync(transcript, "utf8"), /Audit src\/ledger\.ts/);
  assert.equal(statSync(transcript).mode & 0o777, 0o600);

  opencode.stored.length = 0;
  opencode.add("ses_a", "user", "What did we do so far?");
  opencode.add("ses_a", "assistant", "The ledger was looked at.", { summary: true });
  await opencode.hooks.event({ event: { type: "session.compacted", properties: { sessionID: "ses_a" } } });
  const after = await opencode.modelCall("ses_a");
  assert.match(after, /compacted[\s\S]*cedar-4711[\s\S]*\[Handoff[\s\S]*src\/ledger\.ts[\s\S]*\[Receipt:/);
});

test("a new process shows the compaction of the one before, however that ended [plugins.opencode-compaction]", async () => {
  const opencode = await startOpencode();
  await opencode.write("ses_a", "The ledger is cedar-4711.");
  await opencode.ask("ses_a", "Audit src/ledger.ts, please.");
  await opencode.restart();
  const resumed = await opencode.ask("ses_a", "Go on.");
  assert.match(resumed, /^\[Holdfast\] Your working memory for this conversation\.[\s\S]*cedar-4711/);
  assert.doesNotMatch(resumed, /\[Handoff/);

  await opencode.hooks["experimental.session.compacting"]({ sessionID: "ses_a" }, { context: [] });
  opencode.add("ses_a", "assistant", "The ledger was looked at.", { summary: true });
  const compacted = /compacted[\s\S]*cedar-4711[\s\S]*\[Handoff[\s\S]*src\/ledger\.ts[\s\S]*\[Receipt:/;
  for (const words of ["Not told of the end.", "Told before."]) {
    await opencode.restart();
    const shown = await opencode.ask("ses_a", words);
    assert.match(shown, compacted);
    assert.equal(shown.split("[Receipt:").length, 2);
  }
  const memory = await openMemory({ store: join(findProject(opencode.directory).directory, "memory.db") });
  const receipts = await (await memory.openSession("opencode.ses_a")).receipts();
  await memory.close();
  assert.equal(receipts.length, 1, "one compaction");
});

test("after a failed compaction the next calls still have the memory [plugins.opencode-compaction]", async () => {
  const opencode = await startOpencode();
  await opencode.write("ses_a", "The ledger is cedar-4711.");
  await opencode.ask("ses_a", "Begin.");
  await opencode.hooks["experimental.session.compacting"]({ sessionID: "ses_a" }, { context: [] });
  await opencode.hooks.event({ event: { type: "session.error", properties: { sessionID: "ses_a" } } });
  assert.match(await opencode.modelCall("ses_a"), /cedar-4711/);
});

test("a deleted session and a disposed instance end each session once, with its conversation [plugins.opencode-end]", async () => {
  const opencode = await startOpencode();
  const project = spawnSync(process.execPath, [cli, "project", "init"], { cwd: opencode.directory });
  assert.equal(project.status, 0);
  for (const id of ["ses_a", "ses_b"]) {
    await opencode.write(id, "plan");
    await opencode.ask(id, `Audit src/${id}.ts, please.`);
  }
  const hasEnded = (id: string) =>
    readHookState(findProject(opencode.directory).directory, "opencode", id)?.last?.kind === "end";
  const transcript = (id: string) =>
    readFileSync(join(findProject(opencode.directory).directory, `transcripts/opencode.${id}.jsonl`), "utf8");

  opencode.stored.splice(0, 1);
  const deleted = { type: "session.deleted", properties: { info: { id: "ses_a" } } };
  await opencode.hooks.event({ event: deleted });
  assert.equal(hasEnded("ses_a"), true);
  assert.match(transcript("ses_a"), /Audit src\/ses_a\.ts/, "although opencode has deleted the messages");
  assert.doesNotMatch(transcript("ses_a"), /\[Holdfast\]/, "without the memory");
  assert.equal(hasEnded("ses_b"), false);

  opencode.add("ses_b", "assistant", "I looked at it.");
  await opencode.hooks.dispose();
  assert.equal(hasEnded("ses_b"), true);
  assert.match(transcript("ses_b"), /I looked at it\./);
  await opencode.hooks.event({ event: { type: "server.instance.disposed", properties: {} } });
  await opencode.hooks.event({ event: deleted });
  const notes = readFileSync(join(opencode.directory, "grimoires/loa/NOTES.md"), "utf8");
  assert.equal(notes.split("Session end: ").length, 3, "one hand-over for each session");
});

test("the MCP server follows the session that calls its tools [plugins.opencode-link]", async () => {
  const { hooks, directory } = await startOpencode();
  await hooks["tool.execute.before"]({ tool: "holdfast_write_notepad", sessionID: "ses_a" }, {});
  assert.equal(linkedSession(directory), "opencode.ses_a");
  await hooks["tool.execute.before"]({ tool: "holdfast_write_notepad", sessionID: "ses_b" }, {});
  assert.equal(linkedSession(directory), "opencode.ses_b");
  await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_a" }, {});
  assert.equal(linkedSession(directory), "opencode.ses_b", "other tools do not change the link");
});

test("a hook that does not start leaves the messages unchanged, and doctor can report it [plugins.failure]", async (t) => {
  const consoleError = t.mock.method(console, "error", () => undefined);
  const command = { mcp: { holdfast: { command: [join(temporaryDirectory(), "absent"), "mcp"] } } };
  const opencode = await startOpencode(command);
  assert.equal(await opencode.ask("ses_a", "Begin."), "Begin.");
  assert.equal(await opencode.modelCall("ses_a"), "Begin.");
  assert.equal(consoleError.mock.callCount(), 1);
  const [failure] = readFailures(findProject(opencode.directory).directory);
  assert.equal(failure?.host, "opencode");
  assert.match(failure?.message ?? "", /absent/);
});

test("after a compaction a pin comes first, in the user's words [pins.hosts]", async () => {
  const opencode = await startOpencode();
  await opencode.ask("ses_a", "Release it.");
  const memory = await openMemory({ store: join(findProject(opencode.directory).directory, "memory.db") });
  const session = await memory.openSession("opencode.ses_a");
  await session.pins.pin("Never push to main without asking me.", { actor: { kind: "person" } });
  await memory.close();
  await opencode.hooks["experimental.session.compacting"]({ sessionID: "ses_a" }, { context: [] });
  await opencode.hooks.event({ event: { type: "session.compacted", properties: { sessionID: "ses_a" } } });
  assert.match(
    await opencode.modelCall("ses_a"),
    /\n\n\[Pins: [^\n]+\]\np1: Never push to main without asking me\.\n/,
  );
});
