import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { holdfast as runCommand } from "../../../test/support/command-line.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import type { Placement } from "../../context/blocks.ts";
import { openMemory } from "../../index.ts";
import { makeCorpus } from "../../secrets/test-support/corpus.ts";
import { userConfigFile } from "../../workspace/config.ts";
import { openMemoryIn } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readFailures } from "../failures.ts";
import { PiExtension } from "./extension.ts";
import holdfast from "./index.ts";
import { readPiSession } from "./session-file.ts";
import { FakePi, type FakePiOptions, shownIn } from "./test-support/fake-pi.ts";

async function startPi(options: Partial<FakePiOptions> = {}): Promise<FakePi> {
  const pi = new FakePi({ cwd: makeProject(), ...options });
  // pi starts an extension in the project's folder.
  const before = process.cwd();
  process.chdir(pi.context.cwd);
  await holdfast(pi).finally(() => process.chdir(before));
  await pi.emit("session_start", { reason: "startup" });
  return pi;
}

async function startWithPlacement(t: TestContext, placement: Placement): Promise<FakePi> {
  const pi = new FakePi({ cwd: makeProject() });
  const memory = await openMemory({ store: "memory:", surfaces: ["notepad"] });
  t.after(() => memory.close());
  const report = (event: string, error: unknown) => t.diagnostic(`${event}: ${error}`);
  const openIt = async () => memory;
  new PiExtension(pi, { tools: memory.tools(), openMemory: openIt, placement, report }).register(pi);
  await pi.emit("session_start", { reason: "startup" });
  return pi;
}

/** Most of these tests are about the notepad. */
function makeProject(surfaces: readonly string[] | null = ["notepad", "notes", "pins"]): string {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, ".git"));
  if (surfaces) writeFileSync(join(cwd, "holdfast.json"), JSON.stringify({ surfaces }));
  return cwd;
}

async function inStore<Result>(
  cwd: string,
  look: (memory: Awaited<ReturnType<typeof openMemory>>) => Promise<Result>,
) {
  const memory = await openMemory({ store: join(findProject(cwd).directory, "memory.db") });
  try {
    return await look(memory);
  } finally {
    await memory.close();
  }
}

test("the tools are pi tools, run one at a time, and have names and schemas that every provider accepts [plugins.pi-tools]", async () => {
  const pi = await startPi();
  assert.ok(pi.tools.has("write_notepad") && pi.tools.has("search_notes"));
  for (const tool of pi.tools.values()) {
    assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.equal(tool.executionMode, "sequential");
    assert.equal(tool.parameters.type, "object");
  }
  assert.match(await pi.call("write_notepad", { content: "Ship on Friday." }), /ok/);
  await assert.rejects(pi.call("update_notepad", { operation: "delete", content: "absent" }), /not found/i);
});

test("a call that pi runs again is applied once, in a new process too [plugins.repeated-calls]", async () => {
  const cwd = makeProject();
  const input = { operation: "append", content: "cedar-4711" };
  for (let process = 0; process < 2; process++) {
    const pi = await startPi({ cwd });
    const tool = pi.tools.get("update_notepad");
    for (let time = 0; time < 2; time++)
      await tool?.execute("toolu_015VxYz123", input, undefined, undefined, pi.context);
  }
  const notepad = await inStore(cwd, async (memory) => {
    const [session] = await memory.listSessions();
    return (await memory.resumeSession(session?.id ?? "")).notepad.read();
  });
  assert.equal(notepad, "cedar-4711");
});

test("memory comes first in every call, byte for byte the same, and the conversation is unchanged [plugins.pi-placement]", async () => {
  const pi = await startPi();
  pi.say("user", "Remember the ledger.");
  await pi.call("write_notepad", { content: "The ledger is cedar-4711." });
  const first = await pi.modelCall();
  await pi.call("update_notepad", { operation: "append", content: "Ada keeps it." });
  const second = await pi.modelCall();
  assert.deepEqual(second[0], first[0], "the provider's cache needs an unchanged first message");
  assert.equal(second.length, pi.messages().length + 1);
  assert.ok(!shownIn(pi.messages()).includes("[End of notepad]"));
  assert.match(shownIn(first), /## Session Notepad\s+The ledger/, "the first write takes the hint out");
});

test("the next turn shows the agent's writes of the last one [plugins.pi-placement]", async () => {
  const pi = await startPi();
  pi.say("user", "Begin.");
  await pi.modelCall();
  await pi.call("write_notepad", { content: "plan A" });
  await pi.modelCall();
  await pi.call("update_notepad", { operation: "append", content: "step 2" });
  assert.doesNotMatch(shownIn((await pi.modelCall()).slice(-1)), /plan A/, "it is in the call");
  pi.say("user", "Go on.");
  assert.match(shownIn((await pi.modelCall()).slice(-2)), /plan A\nstep 2[\s\S]*Go on\./);
});

test('with the placement "message" the memory is before each message, as it is now [plugins.pi-placement]', async (t) => {
  const pi = await startWithPlacement(t, "message");
  for (const content of ["plan A", "plan B"]) {
    pi.say("user", "Go on.");
    await pi.call("write_notepad", { content });
    pi.say("user", "Next.");
    const messages = await pi.modelCall();
    const memory = shownIn(messages.slice(-2, -1));
    assert.match(memory, new RegExp(`## Session Notepad\n${content}`));
    assert.equal(
      messages.filter(({ content: parts }) => JSON.stringify(parts).includes("## Session N")).length,
      1,
    );
  }
});

test('with the placement "system" the memory is in the system prompt of each turn [plugins.pi-placement]', async (t) => {
  const pi = await startWithPlacement(t, "system");
  for (const content of ["plan A", "plan B"]) {
    pi.say("user", "Go on.");
    await pi.call("write_notepad", { content });
    pi.say("user", "Next.");
    const started = await pi.emit<{ systemPrompt: string }>("before_agent_start", {
      systemPrompt: "You are pi.",
    });
    assert.match(
      started?.systemPrompt ?? "",
      new RegExp(`^You are pi\\.[\\s\\S]+## Session Notepad\n${content}\n`),
    );
    assert.deepEqual(await pi.modelCall(), pi.messages(), "and in no message");
  }
});

test("a new session is offered the open items of the last one that left any [plugins.earlier-sessions]", async () => {
  const cwd = makeProject();
  const first = await startPi({ cwd, id: "first" });
  first.say("user", "Remember the ledger.");
  assert.doesNotMatch(shownIn(await first.modelCall()), /last conversation/);
  await first.call("write_notepad", { content: "The ledger is cedar-4711.\n- [ ] Call Ada" });
  const memory = await openMemoryIn(findWorkspace({ cwd }));
  await (await memory.project()).pins.pin("Never push to main.");
  await memory.close();
  const second = await startPi({ cwd, id: "second" });
  second.say("user", "Something new.");
  const shown = shownIn(await second.modelCall());
  assert.match(shown, /Open items of the last conversation in this project \(.+:\W+- \[ \] Call Ada\W/);
  assert.match(shown, /run: .+ continue pi\.first\W/);
  assert.doesNotMatch(shown, /cedar/);
  assert.equal(shownIn(await second.modelCall()), shown, "the provider's cache needs it unchanged");
});

test("memory is written to custom entries that pi file readers know, and to the project's store [plugins.pi-branch]", async () => {
  const pi = await startPi();
  pi.say("user", "Note this.");
  await pi.call("write_notepad", { content: "cedar" });
  await pi.call("add_note", { content: "port 5432 is taken", tags: ["ports"] });
  const lines = [{ type: "session", version: 3, id: "x" }, ...pi.entries].map((entry) =>
    JSON.stringify(entry),
  );
  assert.equal(readPiSession(lines.join("\n")).notepad, "cedar");
  const [session] = await inStore(pi.context.cwd, (memory) => memory.listSessions());
  assert.equal(session?.id, "pi.01a1e2ae-c228-71be-8486-c0cb21c7e3e0");
  const notes = await inStore(pi.context.cwd, async (memory) =>
    (await memory.resumeSession(session?.id ?? "")).notes.all(),
  );
  assert.deepEqual(
    notes.map(({ content }) => content),
    ["port 5432 is taken"],
  );
});

test("going back to an earlier entry restores its memory, and each branch has its own [plugins.pi-branch]", async () => {
  const pi = await startPi();
  pi.say("user", "Begin.");
  await pi.call("write_notepad", { content: "plan A" });
  await pi.call("add_note", { content: "note of both" });
  const fork = pi.say("user", "Go on.");
  await pi.modelCall();
  await pi.call("update_notepad", { operation: "append", content: "A went well" });
  await pi.call("add_note", { content: "note of A" });
  const tipOfA = pi.leaf;

  await pi.goTo(fork);
  assert.doesNotMatch(shownIn(await pi.modelCall()), /A went well/);
  assert.match(await pi.call("read_notepad", {}), /plan A/);
  assert.doesNotMatch(await pi.call("list_notes", {}), /note of A/);
  await pi.call("write_notepad", { content: "plan B" });
  const tipOfB = pi.leaf;

  await pi.goTo(tipOfA);
  assert.match(shownIn(await pi.modelCall()), /A went well/);
  assert.match(await pi.call("list_notes", {}), /note of A/);
  await pi.goTo(tipOfB);
  assert.match(await pi.call("read_notepad", {}), /plan B/);
  const sessions = await inStore(pi.context.cwd, (memory) => memory.listSessions());
  assert.equal(sessions.length, 2, "one session for each branch that was written to");
});

test("after a restart pi continues with the branch's memory, including a person's edits [plugins.pi-people]", async () => {
  const before = await startPi();
  before.say("user", "Begin.");
  await before.call("write_notepad", { content: "plan A" });
  await before.emit("session_shutdown", { reason: "quit" });
  const { cwd } = before.context;
  await inStore(cwd, async (memory) => {
    const session = await memory.resumeSession("pi.01a1e2ae-c228-71be-8486-c0cb21c7e3e0");
    await session.notepad.append("Ask Ada first.", { actor: { kind: "person" } });
  });

  const pi = await startPi({ cwd, entries: before.entries });
  assert.match(shownIn(await pi.modelCall()), /plan A\s+Ask Ada first\./);
  assert.ok(JSON.stringify(pi.branch()).includes("Ask Ada first."), "the branch records it too");
});

test("a person's edit while the agent works is at the end of the next call [plugins.pi-people]", async () => {
  const pi = await startPi();
  pi.say("user", "Begin.");
  await pi.call("write_notepad", { content: "plan A" });
  const [first] = await pi.modelCall();
  await inStore(pi.context.cwd, async (memory) => {
    const session = await memory.resumeSession("pi.01a1e2ae-c228-71be-8486-c0cb21c7e3e0");
    await session.notepad.append("Ask Ada first.", { actor: { kind: "person" } });
  });
  const messages = await pi.modelCall();
  assert.deepEqual(messages[0], first);
  assert.match(shownIn(messages.slice(-1)), /changed by someone else[\s\S]*plan A\nAsk Ada first\./);
});

test("a fork in its own file starts with a copy [plugins.pi-fork]", async () => {
  const parent = await startPi();
  parent.say("user", "Begin.");
  await parent.call("write_notepad", { content: "plan A" });
  const { cwd } = parent.context;
  const child = await startPi({ cwd, entries: parent.entries, id: "02b2" });
  await child.call("update_notepad", { operation: "append", content: "only in the fork" });
  assert.match(await child.call("read_notepad", {}), /plan A[\s\S]*only in the fork/);
  assert.doesNotMatch(await parent.call("read_notepad", {}), /only in the fork/);
  const fork = await inStore(cwd, async (memory) => (await memory.resumeSession("pi.02b2")).state());
  assert.equal(fork.row.parent, "pi.01a1e2ae-c228-71be-8486-c0cb21c7e3e0");
});

test("the extension reads a notepad that was exported to the file [plugins.pi-branch]", async () => {
  const entry = { type: "custom", customType: "holdfast:notepad", data: { content: "from another host" } };
  const pi = await startPi({ entries: [{ ...entry, id: "aaaaaaaa", parentId: null }] });
  assert.match(shownIn(await pi.modelCall()), /from another host/);
});

test("holdfast store import reads the notes of the branch and skips only damaged ones [plugins.pi-branch]", async () => {
  const pi = await startPi();
  pi.say("user", "Note this.");
  await pi.call("add_note", { content: "port 5432 is taken" });
  await pi.call("add_note", { content: "gone again" });
  const { id } = JSON.parse(await pi.call("list_notes", {})).notes[0];
  await pi.call("delete_note", { id });
  pi.appendEntry("holdfast:note", { id: "note_1", note: { content: 7 } });
  const file = join(pi.context.cwd, "session.jsonl");
  const lines = [{ type: "session", version: 3, id: "x" }, ...pi.entries].map((entry) =>
    JSON.stringify(entry),
  );
  writeFileSync(file, lines.join("\n"));
  const db = join(pi.context.cwd, "imported.db");
  const { code, stderr } = await runCommand("store", "import", file, "--store", db);
  assert.equal(code, 0, stderr);
  const memory = await openMemory({ store: db });
  const notes = await (await memory.resumeSession("x")).notes.all();
  assert.deepEqual(
    notes.map(({ content }) => content),
    ["port 5432 is taken"],
  );
  await memory.close();
});

test("by default the agent gets scratchpad, pins and recall, and the tools of NOTES.md where there is one [plugins.pi-tools]", async () => {
  const cwd = makeProject(null);
  const names = async () => [...(await startPi({ cwd })).tools.keys()];
  const basic = ["session_scratchpad", "pin", "unpin", "list_pins", "recall"];
  assert.deepEqual(await names(), basic);
  mkdirSync(join(cwd, "grimoires/loa"), { recursive: true });
  writeFileSync(join(cwd, "grimoires/loa/NOTES.md"), "# Notes\n");
  const more = (await names()).slice(basic.length);
  assert.ok(more.includes("recover_context") && more.length > 0, more.join());
});

test("the scratchpad is in the next turn and in OpenClaw's own entries, and enabled: false takes it away [plugins.scratchpad]", async () => {
  const cwd = makeProject(null);
  const pi = await startPi({ cwd });
  pi.say("user", "Begin.");
  await pi.modelCall();
  await pi.call("session_scratchpad", { action: "set_plan", content: "1. Fix auth bug" });
  await pi.call("session_scratchpad", { action: "refs.add", ref: "src/auth.ts" });
  pi.say("user", "Go on.");
  assert.match(
    shownIn(await pi.modelCall()),
    /\[Session Scratchpad\]\nPlan:\n1\. Fix auth bug\n\nReferences:\n• src\/auth\.ts\n\[End Scratchpad\]/,
  );
  const entries = pi.branch().filter(({ customType }) => String(customType).startsWith("openclaw:"));
  assert.deepEqual(
    entries.map(({ customType, data }) => [customType, data]),
    [
      ["openclaw:scratchpad:plan", "1. Fix auth bug"],
      ["openclaw:scratchpad:refs", ["src/auth.ts"]],
    ],
  );
  writeFileSync(join(cwd, "holdfast.json"), JSON.stringify({ scratchpad: { enabled: false } }));
  const without = await startPi({ cwd, entries: pi.entries });
  assert.deepEqual([...without.tools.keys()], ["pin", "unpin", "list_pins", "recall"]);
  without.say("user", "Go on.");
  const [memory] = await without.modelCall();
  assert.doesNotMatch(JSON.stringify(memory), /scratchpad/i);
});

async function talkAndCompact(pi: FakePi, asks = 1) {
  pi.say("user", "Audit src/ledger.ts and mind ticket ABC-77, please.");
  await pi.call("write_notepad", { content: "The ledger is cedar-4711." });
  pi.say("assistant", "Done with src/ledger.ts.");
  const kept = pi.say("user", "Now the invoices.");
  return { kept, answers: await pi.beforeCompact(kept, asks) };
}

test("a compaction has a handoff, a summary and a receipt, and a repeated request gets the same answer [plugins.pi-compaction]", async () => {
  const pi = await startPi({ summarise: () => "The ledger in src/ledger.ts was audited." });
  const { kept, answers } = await talkAndCompact(pi, 2);
  const [compaction, again] = answers;
  assert.ok(compaction);
  assert.deepEqual(again, compaction);
  assert.equal(pi.summaryRequests.length, 1);
  assert.equal(compaction.firstKeptEntryId, kept);
  assert.match(compaction.summary, /was audited\.[\s\S]*\[Handoff[\s\S]*ABC-77[\s\S]*\[End of handoff\]$/);
  await pi.compacted(compaction, true);
  const shown = shownIn(await pi.modelCall());
  assert.match(shown, /cedar-4711[\s\S]*was audited/);
  assert.match(shown, /\[Receipt: 4 messages compacted\. /);
  assert.equal(pi.news.length, 1);
  assert.match(pi.news[0] ?? "", /^Holdfast restored \d of your messages/);

  pi.say("assistant", "The invoices are fine.");
  const [second] = await pi.beforeCompact(pi.say("user", "Thanks."));
  assert.match(
    JSON.stringify(pi.summaryRequests[1]),
    /The earlier summary:\\nThe ledger in src\/ledger\.ts was audited/,
  );
  assert.match(second?.summary ?? "", /ABC-77/, "the handoff carries over the earlier one");
  const receipts = await inStore(pi.context.cwd, async (memory) => {
    const [session] = await memory.listSessions();
    return (await memory.resumeSession(session?.id ?? "")).receipts();
  });
  assert.deepEqual(
    receipts.map(({ epoch, trigger, summaryBy }) => ({ epoch, trigger, summaryBy })),
    [{ epoch: 1, trigger: "host", summaryBy: "model" }],
  );
});

test("without a model the summary is deterministic, and carries over the earlier one [plugins.pi-compaction]", async () => {
  const pi = await startPi();
  const { answers } = await talkAndCompact(pi);
  assert.ok(answers[0]);
  assert.match(answers[0].summary, /User: Audit src\/ledger\.ts/);
  await pi.compacted(answers[0], true);
  pi.say("assistant", "The invoices are fine.");
  const [second] = await pi.beforeCompact(pi.say("user", "Thanks."));
  assert.match(second?.summary ?? "", /^- Audit src\/ledger\.ts/m, "the user's words");
  assert.doesNotMatch(second?.summary ?? "", /Earlier: The handoff/, "an earlier handoff is not below");
});

test("when pi writes the summary, handoff and receipt are shown with the memory [plugins.pi-compaction]", async () => {
  const pi = await startPi({ summarise: () => "ours" });
  const { kept } = await talkAndCompact(pi);
  await pi.compacted({ summary: "pi's own summary", firstKeptEntryId: kept }, false);
  assert.match(shownIn(await pi.modelCall()), /\[Handoff[\s\S]*ABC-77[\s\S]*\[Receipt:[\s\S]*cedar-4711/);
});

test("an aborted compaction is not a failure, and a missing model is reported once [plugins.failure]", async () => {
  const pi = await startPi();
  pi.say("user", "Begin.");
  const kept = pi.say("user", "Go on.");
  assert.deepEqual(await pi.beforeCompact(kept, 1, AbortSignal.abort()), [undefined]);
  assert.deepEqual(pi.notices, []);
  assert.ok((await pi.beforeCompact(kept))[0], "the next request succeeds");
  pi.say("assistant", "Done.");
  assert.ok((await pi.beforeCompact(kept))[0]);
  assert.equal(pi.notices.length, 1);
  assert.match(pi.notices[0] ?? "", /The model gave no summary: no model/);
});

test("the agent is warned once per epoch, while there is room [plugins.pi-warning]", async () => {
  const pi = await startPi({ summarise: () => "The ledger was audited." });
  const isWarned = async () => /approaching the token limit/.test(shownIn(await pi.modelCall()));
  pi.say("user", "Begin.");
  pi.usage = { tokens: 50_000, contextWindow: 200_000 };
  assert.equal(await isWarned(), false);
  pi.usage = { tokens: 178_000, contextWindow: 200_000 };
  assert.deepEqual([await isWarned(), await isWarned()], [true, false]);
  const { answers } = await talkAndCompact(pi);
  await pi.compacted(answers[0] ?? { summary: "", firstKeptEntryId: "" }, true);
  pi.usage = { tokens: null, contextWindow: 200_000 };
  assert.equal(await isWarned(), false);
  pi.usage = { tokens: 190_000, contextWindow: 200_000 };
  assert.equal(await isWarned(), true);
});

test("if the store cannot be opened, memory is in pi's file only, and the user is notified once [plugins.pi-without-store]", async () => {
  const cwd = makeProject();
  mkdirSync(findProject(cwd).directory);
  writeFileSync(
    join(findProject(cwd).directory, "memory.db"),
    "this is no database, and long enough to be looked at as one ".repeat(20),
  );
  const pi = await startPi({ cwd });
  pi.say("user", "Begin.");
  await pi.call("write_notepad", { content: "cedar" });
  assert.equal(pi.notices.length, 1);
  assert.match(pi.notices[0] ?? "", /memory\.db: file is not a database/);
  const again = await startPi({ cwd, entries: pi.entries });
  assert.match(shownIn(await again.modelCall()), /cedar/);
  assert.equal(readFailures(findProject(cwd).directory)[0]?.host, "pi");
  assert.match(readFileSync(join(findProject(cwd).directory, "memory.db"), "utf8"), /^this is no database/);
});

test("without a store, the limits and the user's rule for secrets still apply [plugins.pi-without-store]", async (context) => {
  const cwd = makeProject();
  const limits = { notepadCharacters: 1_000 };
  writeFileSync(join(cwd, "holdfast.json"), JSON.stringify({ limits, surfaces: ["notepad"] }));
  const before = process.env.XDG_CONFIG_HOME;
  process.env.XDG_CONFIG_HOME = temporaryDirectory();
  context.after(() => {
    process.env.XDG_CONFIG_HOME = before ?? "";
  });
  mkdirSync(join(process.env.XDG_CONFIG_HOME, "holdfast"));
  writeFileSync(userConfigFile(), JSON.stringify({ secrets: "refuse" }));
  mkdirSync(join(findProject(cwd).directory, "memory.db"), { recursive: true });
  const pi = await startPi({ cwd });
  pi.say("user", "Begin.");
  const secret = makeCorpus(7).secrets[0]?.[1] ?? "";
  await assert.rejects(async () => pi.call("write_notepad", { content: secret }), /Nothing was changed/);
  await assert.rejects(async () => pi.call("write_notepad", { content: "x".repeat(1_001) }), /1,?000/);
});

test("a failing handler changes nothing, and is reported once [plugins.failure]", async () => {
  const pi = await startPi();
  pi.say("user", "Begin.");
  const { getBranch } = pi.context.sessionManager;
  pi.context.sessionManager.getBranch = () => {
    throw new Error("the tree is gone");
  };
  const messages = [{ role: "user", content: "Begin." }];
  assert.equal(await pi.emit("context", { messages }), undefined);
  assert.equal(await pi.emit("context", { messages }), undefined);
  assert.deepEqual(pi.notices, ["holdfast: context: the tree is gone"]);
  assert.equal(readFailures(findProject(pi.context.cwd).directory).length, 2);
  pi.context.sessionManager.getBranch = getBranch;
  assert.match(shownIn(await pi.modelCall()), /## Session Notepad/, "it recovers automatically");
});

test("if planning a compaction fails, pi compacts on its own [plugins.failure]", async () => {
  const pi = await startPi();
  const kept = pi.say("user", "Begin.");
  pi.context.sessionManager.getBranch = () => {
    throw new Error("the tree is gone");
  };
  const event = {
    preparation: { messagesToSummarize: [], firstKeptEntryId: kept },
    branchEntries: pi.entries,
  };
  assert.equal(await pi.emit("session_before_compact", event), undefined);
});

test("after a compaction a pin comes first, in the user's words, and follows the branch [pins.hosts]", async () => {
  const pi = await startPi({ summarise: () => "The user asked for a release. Work went on." });
  pi.say("user", "Prepare a release.");
  await pi.modelCall();
  await pi.call("pin", { text: "Never push to main without asking me." });
  pi.say("assistant", "Understood.");
  const kept = pi.say("user", "Release it.");
  const [compaction] = await pi.beforeCompact(kept);
  assert.ok(compaction);
  await pi.compacted(compaction, true);
  assert.match(
    shownIn(await pi.modelCall()),
    /\[Pins: [^\n]+\]\np1: Never push to main without asking me\.\n/,
  );
  const here = pi.say("user", "Go on.");
  await pi.modelCall();
  await pi.call("write_notepad", { content: "later" });
  await pi.goTo(here);
  await pi.call("write_notepad", { content: "another branch" });
  assert.match(
    await pi.call("list_pins", {}),
    /Never push to main/,
    "a new branch has the pins of its entry",
  );
});
