import assert from "node:assert/strict";
import type { ModelMessage } from "ai";
import { checkpointTokens } from "../compaction/budget.ts";
import { Compaction } from "../compaction/compaction.ts";
import type { KeptMessages } from "../compaction/kept-messages.ts";
import type { StoredMessage } from "../context/conversation.ts";
import { readEpoch } from "../engine/conversation.ts";
import type { Checkpoint, Receipt, ReceiptItem } from "../engine/records.ts";
import { openMemory } from "../index.ts";
import type { Session } from "../sessions/session.ts";
import type { Moment, Surface } from "../surfaces/surface.ts";

/** One conversation, the same for every driver. */
export interface DriverStory {
  /** The agent's notepad before the compaction. */
  notepad: string;
  /** The compaction removes all of them, except perhaps the last answer, which contains nothing to keep. */
  messages: readonly ModelMessage[];
  /** The summariser's answer, if the driver asks one. */
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
  /** The window that the driver compacts in, which sets the checkpoint's size. Default: unknown. */
  contextWindow?: number;
  /** What the driver's host keeps of the conversation. Default: nothing. */
  keeps?(messages: readonly StoredMessage[]): KeptMessages;
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
  moments: Moment[];
  checkpoint: Checkpoint;
  receipt: Receipt;
}

async function runStory(harness: DriverHarness): Promise<StoryResult> {
  const moments: Moment[] = [];
  const recorder: Surface = {
    name: "recorder",
    tools: [],
    guidance: () => "",
    onMoment: async (_session, moment) => {
      moments.push(moment);
      return [];
    },
  };
  const run = await harness.run(driverStory, [recorder]);
  const [checkpoint, ...more] = await run.session.records("checkpoint");
  const [stored] = await run.session.receipts();
  assert.ok(checkpoint, "no checkpoint was written");
  assert.ok(stored, "no receipt was written");
  assert.equal(more.length, 0, "more than one checkpoint was written");
  // Only a driver that sends the next request itself can prove the receipt, and only afterwards.
  const { verified: _verified, mismatch, ...receipt } = stored;
  assert.equal(mismatch, undefined, "the next request lacks what the receipt says");
  return { run, moments, checkpoint: checkpoint.value, receipt };
}

/** The same story through `Compaction` alone: the expected result for every driver. */
async function expected({
  contextWindow,
  keeps,
}: DriverHarness): Promise<{ checkpoint: Checkpoint; receipt: Receipt; items: ReceiptItem[] }> {
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.createSession();
  await session.notepad.write(driverStory.notepad);
  const messages = driverStory.messages.map((message, index) => ({ number: index + 1, message, at: 0 }));
  const compaction = new Compaction({
    session,
    trigger: "host",
    skipped: "there is no agent to warn",
    wayBack: "none",
    budget: { tokens: checkpointTokens(contextWindow) },
    countTokens: memory.setting.countTokens,
    contextAfter: async ({ body }) => ({ text: body, tokens: 0 }),
    commit: async () => {},
    notify: async () => {},
  });
  const kept = keeps?.(messages) ?? { to: messages.length };
  const { checkpoint, removed } = await compaction.begin({ messages, ...kept });
  const { receipt } = await compaction.finish({ text: driverStory.summary, by: "model" });
  await memory.close();
  return { checkpoint, receipt, items: removed.items };
}

const texts = (items: readonly ReceiptItem[]) => items.map(({ kind, text }) => `${kind} ${text}`).sort();

const needsOf = ({ needs = [] }: Receipt) =>
  needs.map(({ kind, text, likelihood }) => `${kind} ${text} ${likelihood}`);

/** What every driver writes down; whether sentences and short results are kept word for word is the driver's choice. */
function sharedFacts({ epoch: _epoch, memory, ...facts }: Checkpoint) {
  const { said: _said, results: _results, ...shared } = memory ?? {};
  return { ...facts, memory: shared };
}

/** What every compaction driver has to do. Each case runs the whole story once. */
export const driverContract: readonly DriverCase[] = [
  {
    name: "writes the expected checkpoint",
    async run(harness) {
      const { checkpoint } = await runStory(harness);
      assert.deepEqual(sharedFacts(checkpoint), sharedFacts((await expected(harness)).checkpoint));
    },
  },
  {
    name: "writes a receipt with every field that accounts for everything removed",
    async run(harness) {
      const { receipt, checkpoint } = await runStory(harness);
      const reference = await expected(harness);
      assert.deepEqual(Object.keys(receipt).sort(), Object.keys(reference.receipt).sort());
      assert.equal(receipt.epoch, checkpoint.epoch);
      assert.ok(receipt.from >= 1 && receipt.to > receipt.from, `messages ${receipt.from} to ${receipt.to}`);
      assert.ok(receipt.tokensBefore > 0 && receipt.tokensAfter > 0, "tokens before and after");
      const named = [...receipt.kept, ...receipt.recallable, ...receipt.missing];
      assert.deepEqual(texts(named), texts(reference.items));
      const { kept, recallable, missing } = receipt.counts;
      assert.equal(kept + recallable + missing, reference.items.length);
      assert.ok(needsOf(receipt).length > 0, "what the agent is likely to need");
      assert.deepEqual(needsOf(receipt), needsOf(reference.receipt));
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
    name: "notifies the surfaces of every moment, in order, with its data",
    async run(harness) {
      const { moments, checkpoint, receipt } = await runStory(harness);
      assert.deepEqual(
        moments.map(({ kind }) => kind),
        ["session-start", "before-compaction", "after-compaction", "session-end"],
      );
      const [, before, after, end] = moments;
      assert.deepEqual(before, { kind: "before-compaction", checkpoint });
      assert.deepEqual(after, { kind: "after-compaction", checkpoint, receipt });
      assert.ok(end && "checkpoint" in end && end.checkpoint.epoch > checkpoint.epoch);
    },
  },
  {
    name: "writes the checkpoint before the receipt, which ends the epoch",
    async run(harness) {
      const { run, checkpoint } = await runStory(harness);
      const entries = await run.session.history({ newestFirst: false });
      const types = entries.map(({ operation }) => operation.type);
      const end = types.findIndex((type) => type === "context.compact" || type === "context.receipt");
      const written = types.indexOf("context.checkpoint");
      assert.ok(written !== -1 && written < end, types.join(", "));
      assert.equal(readEpoch(await run.session.state()).number, checkpoint.epoch + 1);
    },
  },
  {
    name: "shows the model its notepad, the checkpoint and the receipt in the next call",
    async run(harness) {
      const { run, checkpoint, receipt } = await runStory(harness);
      for (const text of [...driverStory.notepad.split("\n"), ...checkpoint.text.split("\n"), receipt.line])
        assert.ok(run.shown.includes(text), `${text}\nis not in\n${run.shown}`);
    },
  },
];
