import assert from "node:assert/strict";
import type { ModelMessage } from "ai";
import { Compaction } from "../compaction/compaction.ts";
import { handoffTokens } from "../compaction/handoff.ts";
import { warningText } from "../compaction/warning.ts";
import type { StoredMessage } from "../context/conversation.ts";
import { readEpoch } from "../engine/conversation.ts";
import type { Handoff, Receipt } from "../engine/records.ts";
import { openMemory } from "../index.ts";
import type { Session } from "../sessions/session.ts";
import type { LifecycleEvent, Surface } from "../surfaces/surface.ts";

/** One conversation, the same for every driver. */
export interface DriverStory {
  /** The agent's notepad before the compaction. */
  notepad: string;
  /** The compaction removes all of them, except perhaps the last answer, which contains nothing to keep. */
  messages: readonly ModelMessage[];
  /** The summarizer's answer, if the driver asks one. */
  summary: string;
}

/** The result of running the story through a driver. */
export interface DriverRun {
  session: Session;
  /** The whole context of the first model call after the compaction. */
  shown: string;
}

/** Runs a compaction driver for the suite. */
export interface DriverHarness {
  /**
   * Starts a session with these surfaces, runs the conversation, compacts it, makes the next model call and ends the
   * session. The session stays readable until `dispose`.
   */
  run(story: DriverStory, surfaces: readonly Surface[]): Promise<DriverRun>;
  /** The window that the driver compacts in, which sets the handoff's size. Default: unknown. */
  contextWindow?: number;
  /** The last message that the driver's host removes. Default: the last one. */
  lastRemoved?(messages: readonly StoredMessage[]): number;
  /**
   * Starts a session with a notepad, fills the model's context until only a short turn fits before the compaction, and
   * makes the next model call, whose whole context it returns. Or why the driver's host cannot warn the agent.
   */
  warned: (() => Promise<DriverRun>) | string;
  dispose?(): Promise<void>;
}

export interface DriverCase {
  name: string;
  run(harness: DriverHarness): Promise<void>;
}

const calls = (id: string, toolName: string, input: Record<string, unknown>): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName, input }],
});

const result = (id: string, toolName: string, value: string, isError = false): ModelMessage => ({
  role: "tool",
  content: [
    {
      type: "tool-result",
      toolCallId: id,
      toolName,
      output: isError ? { type: "error-text", value } : { type: "text", value },
    },
  ],
});

/** The story of the suite: a request, an edit, a command that fails, and a long answer. */
export const driverStory: DriverStory = {
  notepad: "- [x] read the parser\n- [ ] fix the lexer, TKT-4711",
  messages: [
    { role: "user", content: "Make src/parser.ts accept tabs, see TKT-4711 and https://example.org/tabs" },
    calls("call_1", "edit_file", { path: "src/parser.ts" }),
    result("call_1", "edit_file", "edited src/parser.ts, and left docs/tabs.md alone"),
    calls("call_2", "bash", { command: "npm run lint" }),
    result("call_2", "bash", "Exit code 1", true),
    { role: "assistant", content: `The parser accepts tabs now. ${"And so it goes on. ".repeat(400)}` },
  ],
  summary:
    "The user wants src/parser.ts to accept tabs (TKT-4711). src/parser.ts was edited; npm run lint fails with exit code 1.",
};

interface StoryResult {
  run: DriverRun;
  events: LifecycleEvent[];
  handoff: Handoff;
  receipt: Receipt;
}

async function runStory(harness: DriverHarness): Promise<StoryResult> {
  const events: LifecycleEvent[] = [];
  const recorder: Surface = {
    name: "recorder",
    tools: [],
    guidance: () => "",
    onLifecycle: async (_session, event) => {
      events.push(event);
      return [];
    },
  };
  const run = await harness.run(driverStory, [recorder]);
  const [handoff, ...more] = await run.session.records("handoff");
  const [stored] = await run.session.receipts();
  assert.ok(handoff, "no handoff was written");
  assert.ok(stored, "no receipt was written");
  assert.equal(more.length, 0, "more than one handoff was written");
  // Only a driver that sends the next request itself can prove the receipt, and only afterwards.
  const { verified: _verified, mismatch, ...receipt } = stored;
  assert.equal(mismatch, undefined, "the next request lacks text of the receipt");
  return { run, events, handoff: handoff.value, receipt };
}

/** The same story through `Compaction` alone: the expected result for every driver. */
async function expected({
  contextWindow,
  lastRemoved,
}: DriverHarness): Promise<{ handoff: Handoff; receipt: Receipt }> {
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.createSession();
  await session.notepad.write(driverStory.notepad);
  const messages = driverStory.messages.map((message, index) => ({ number: index + 1, message, at: 0 }));
  const compaction = new Compaction({
    session,
    trigger: "host",
    skipped: "there is no agent to warn",
    readWith: "",
    room: { tokens: handoffTokens(contextWindow) },
    countTokens: memory.setting.countTokens,
    contextAfter: async ({ body }) => ({ text: `${driverStory.notepad}\n${body}`, tokens: 0 }),
    commit: async () => {},
    notify: async () => {},
  });
  const { handoff } = await compaction.begin({
    messages,
    to: messages.length,
    keptFrom: (lastRemoved?.(messages) ?? messages.length) + 1,
  });
  const { receipt } = await compaction.finish({ text: driverStory.summary, by: "model" });
  await memory.close();
  return { handoff, receipt };
}

/** The records of each driver. A driver that keeps the last answer in context does not repeat it. */
function sharedFacts({ epoch: _epoch, text: _text, lastWords: _words, done, ...facts }: Handoff) {
  return { ...facts, done: done.map((lines) => lines.filter(({ isEnd }) => !isEnd)) };
}

/** The duties of each compaction driver. Each case runs the whole story once. */
export const driverContract: readonly DriverCase[] = [
  {
    name: "writes the expected handoff",
    async run(harness) {
      const { handoff } = await runStory(harness);
      const reference = (await expected(harness)).handoff;
      assert.deepEqual(sharedFacts(handoff), sharedFacts(reference));
      const answer = reference.lastWords.slice(0, 40);
      const steps = reference.text.split("\n").filter((line) => !line.includes(answer));
      for (const line of steps) assert.ok(handoff.text.includes(line), `${line}\nis not in\n${handoff.text}`);
    },
  },
  {
    name: "hands over what the user said, word for word",
    async run(harness) {
      const { run } = await runStory(harness);
      for (const { role, content } of driverStory.messages)
        if (role === "user")
          assert.ok(run.shown.includes(String(content)), `${content}\nis not in\n${run.shown}`);
    },
  },
  {
    name: "writes a receipt whose facts are right",
    async run(harness) {
      const { receipt, handoff, run } = await runStory(harness);
      const reference = (await expected(harness)).receipt;
      assert.deepEqual(Object.keys(receipt).sort(), Object.keys(reference).sort());
      assert.equal(receipt.epoch, handoff.epoch);
      assert.ok(receipt.from >= 1 && receipt.to > receipt.from, `messages ${receipt.from} to ${receipt.to}`);
      assert.ok(receipt.messages >= 1 && receipt.messages <= receipt.to - receipt.from + 1);
      assert.ok(receipt.tokensBefore > 0 && receipt.tokensAfter > 0, "tokens before and after");
      assert.deepEqual(receipt.user, reference.user);
      assert.deepEqual(receipt.notepad, reference.notepad);
      assert.equal(receipt.rest, receipt.readWith === "" ? "lost" : "retrievable");
      const said = `In context: ${receipt.user.whole} user message, whole notepad.`;
      assert.ok(receipt.line.includes(said) && run.shown.includes(receipt.line), receipt.line);
    },
  },
  {
    name: "records whether the agent was warned, and if not, why",
    async run(harness) {
      const { receipt } = await runStory(harness);
      assert.notEqual(receipt.warning, "none");
      assert.equal(
        receipt.warning === "skipped",
        (receipt.skipped ?? "") !== "",
        "a skipped warning needs a reason",
      );
    },
  },
  {
    name: "warns the agent once before the compaction, in the words of the notepad, or says why it cannot",
    async run({ warned }) {
      if (typeof warned === "string") return assert.match(warned, /\w/, "a driver that never warns says why");
      const { session, shown } = await warned();
      assert.equal(shown.split(warningText).length - 1, 1, `${warningText}\nis not once in\n${shown}`);
      // A driver may compact as soon as the agent has answered.
      const [receipt] = await session.receipts();
      assert.equal(receipt?.warning ?? readEpoch(await session.state()).warning, "given");
    },
  },
  {
    name: "notifies the surfaces of every lifecycle event, in order, with its data",
    async run(harness) {
      const { events, handoff, receipt } = await runStory(harness);
      assert.deepEqual(
        events.map(({ kind }) => kind),
        ["session-start", "before-compaction", "after-compaction", "session-end"],
      );
      const [, before, after, end] = events;
      assert.deepEqual(before, { kind: "before-compaction", handoff });
      assert.deepEqual(after, { kind: "after-compaction", handoff, receipt });
      assert.ok(end && "handoff" in end && end.handoff.epoch > handoff.epoch);
    },
  },
  {
    name: "writes the handoff before the receipt, which ends the epoch",
    async run(harness) {
      const { run, handoff } = await runStory(harness);
      const entries = await run.session.history({ newestFirst: false });
      const types = entries.map(({ operation }) => operation.type);
      const end = types.findIndex((type) => type === "context.compact" || type === "context.receipt");
      const written = types.indexOf("context.handoff");
      assert.ok(written !== -1 && written < end, types.join(", "));
      assert.equal(readEpoch(await run.session.state()).number, handoff.epoch + 1);
    },
  },
  {
    name: "shows the model its notepad, the handoff and the receipt in the next call",
    async run(harness) {
      const { run, handoff, receipt } = await runStory(harness);
      for (const text of [...driverStory.notepad.split("\n"), ...handoff.text.split("\n"), receipt.line])
        assert.ok(run.shown.includes(text), `${text}\nis not in\n${run.shown}`);
    },
  },
];
