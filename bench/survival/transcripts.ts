import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findNeeded, nameFinder } from "../../src/compaction/need/later-use.ts";
import {
  plainTextOf,
  type StoredMessage,
  spokenText,
  toolCallsOf,
  toolResultsOf,
} from "../../src/context/conversation.ts";
import { type RecordedSession, readRecordedSession } from "../../src/hosts/recorded-session.ts";
import { tokensIn } from "./request-text.ts";
import { runStory } from "./run-story.ts";
import type { Step, Story, StoryTurn } from "./story.ts";
import { recordedSummariser, type Summariser, summariserNamed } from "./summarisers.ts";
import type { System } from "./system.ts";

/** What a system still had of the names that the agent wrote into its next calls, by summariser. */
export type TranscriptScore = Partial<Record<Summariser["name"], RecallScore>>;

export interface RecallScore {
  /** Compactions that were replayed. */
  cuts: number;
  needed: number;
  kept: number;
  /** Of the context after the compaction, on average. */
  tokens: number;
}

interface Cut {
  story: Story;
  /** The summary that the recording has; "" if it was not compacted here. */
  summary: string;
  window: number;
}

const maxCuts = 6;
/** A longer span would take minutes with ten systems; its end is what a compaction is about. */
const maxTokens = 30_000;
/** The systems compact at about four fifths of the window, so shortly before the span is over. */
const windowShare = 1.1;

/**
 * Replays the recorded conversations in a folder up to a compaction, and looks for what was needed after it: with S1, and
 * with S2 where the recording has the summary that a model wrote.
 */
export async function runTranscripts(system: System, folder: string): Promise<TranscriptScore> {
  const cuts = await readCuts(folder);
  const recorded = cuts.filter(({ summary }) => summary !== "");
  const extractive = summariserNamed("S1");
  return {
    S1: await recallAfter(system, cuts, () => extractive),
    ...(recorded.length === 0
      ? {}
      : { S2: await recallAfter(system, recorded, ({ summary }) => recordedSummariser(summary)) }),
  };
}

async function recallAfter(
  system: System,
  cuts: readonly Cut[],
  summariserOf: (cut: Cut) => Summariser,
): Promise<RecallScore> {
  const score = { cuts: cuts.length, needed: 0, kept: 0, tokens: 0 };
  for (const cut of cuts) {
    const { story, window } = cut;
    const result = await runStory(system, story, { summariser: summariserOf(cut), window, compactions: 1 });
    score.needed += story.needed?.length ?? 0;
    score.kept += result.neededInContext;
    score.tokens += (result.tokens ?? 0) / cuts.length;
  }
  return { ...score, tokens: Math.round(score.tokens) };
}

/** The recorded conversations in a folder, and the files that are none, with the reason. */
export async function readRecordings(folder: string) {
  const recordings: RecordedSession[] = [];
  const skipped: string[] = [];
  for (const file of globSync("**/*.jsonl", { cwd: folder }).sort()) {
    try {
      recordings.push(await readRecordedSession(readFileSync(join(folder, file), "utf8")));
    } catch (error) {
      skipped.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { recordings, skipped };
}

async function readCuts(folder: string): Promise<Cut[]> {
  const cuts: Cut[] = [];
  for (const { messages, compactions } of (await readRecordings(folder)).recordings) {
    const recorded = compactions.filter(({ messages: at }) => at > 0 && at < messages.length);
    const places =
      recorded.length > 0
        ? recorded.map(({ messages: at, summary }) => ({ at, summary }))
        : [{ at: Math.floor(messages.length * 0.6), summary: "" }];
    for (const { at, summary } of places) {
      const cut = cutAt(messages, at, summary);
      if (cut.story.needed?.length) cuts.push(cut);
    }
  }
  return cuts.slice(0, maxCuts);
}

function cutAt(messages: readonly StoredMessage[], at: number, summary: string): Cut {
  let first = at;
  let tokens = 0;
  while (first > 0 && tokens < maxTokens) {
    const before = messages[--first];
    tokens += before ? tokensIn(plainTextOf(before.message)) : 0;
  }
  const removed = messages.slice(first, at);
  const needed = [
    ...findNeeded({ removed, kept: [], later: messages.slice(at), find: nameFinder({ certain: true }) }),
  ];
  const turns = turnsOf(removed);
  const story: Story = { kind: "transcript", seed: 0, facts: [], turns, more: [], files: new Map(), needed };
  const told = turns.reduce((sum, turn) => sum + tokensIn(JSON.stringify(turn)), 0);
  return { story, summary, window: Math.ceil(told * windowShare) };
}

/** A turn begins with each message of the user; the recorded calls and results follow. */
function turnsOf(messages: readonly StoredMessage[]): StoryTurn[] {
  const results = new Map(messages.flatMap(toolResultsOf).map(({ id, text }) => [id, text]));
  const turns: { user: string; steps: Step[]; answer: string }[] = [];
  let calls = 0;
  for (const stored of messages) {
    if (stored.message.role === "user")
      turns.push({ user: plainTextOf(stored.message).trim(), steps: [], answer: "Understood." });
    const turn = turns.at(-1);
    if (stored.message.role !== "assistant" || !turn) continue;
    const says = spokenText(stored.message).trim();
    const steps = toolCallsOf(stored).map(
      ({ id, tool, input }, index): Step => ({
        tool: "run_command",
        // Numbered, so that a call that was made twice has both results.
        input: { command: `${tool} ${JSON.stringify(input)} #${++calls}` },
        result: results.get(id) ?? "",
        ...(index === 0 && says !== "" ? { says } : {}),
      }),
    );
    if (steps.length === 0 && says !== "") turn.answer = says;
    turn.steps.push(...steps);
  }
  return turns.filter(({ user }) => user !== "");
}
