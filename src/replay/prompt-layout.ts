import { planCut } from "../compaction/cut.ts";
import { summaryInstructions, transcriptOf } from "../compaction/summary.ts";
import { type CompactionPolicy, planNextStep } from "../compaction/usage.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { TokenCounts } from "../hosts/transcript/recording.ts";
import type { Calibration } from "./calibrate.ts";
import type { Transcript } from "./transcript.ts";

/** `recorded`: as in the transcript. `planned`: where Holdfast would compact. `none`: the prompt only grows. */
export type CompactionMode = "none" | "recorded" | "planned";

/** The conversation in one call's prompt, without memory and clearing. */
export interface ConversationPart {
  /** Index of its first message. */
  from: number;
  summary: number;
  sizes: readonly number[];
  /** Whether the conversation was compacted directly before this call. */
  compacted: boolean;
  /** Tokens spent on writing the summary; agents do not record them, so only planned compactions have them. */
  summarising: TokenCounts | undefined;
}

/** Tokens assumed for a planned summary; the recorded ones of the pi sessions have 1,150 and 1,450. */
const plannedSummary = 1_500;

export function layOutConversation(
  transcript: Transcript,
  calibration: Calibration,
  mode: CompactionMode,
  policy: CompactionPolicy,
): ConversationPart[] {
  if (mode === "recorded") return recordedLayout(calibration);
  return plannedLayout(transcript, calibration, mode === "none" ? undefined : policy);
}

function recordedLayout({ prompts }: Calibration): ConversationPart[] {
  return prompts.map(({ from, summary, sizes }, call) => {
    const before = prompts[call - 1];
    const compacted = before !== undefined && (before.from !== from || before.summary !== summary);
    return { from, summary, sizes, compacted, summarising: undefined };
  });
}

/** Messages that the recording compacted away keep their last seen size. */
function plannedLayout(
  { calls, messages }: Transcript,
  { system, prompts, sizes }: Calibration,
  policy: CompactionPolicy | undefined,
): ConversationPart[] {
  let from = 0;
  let summary = 0;
  let before = 0;
  return calls.map((call, index): ConversationPart => {
    const recorded = prompts[index];
    const sizeOf = (message: number) => recorded?.sizes[message - recorded.from] ?? sizes[message] ?? 0;
    const measure = () =>
      Array.from({ length: Math.max(0, call.messages - from) }, (_, offset) => sizeOf(from + offset));
    let own = measure();
    const total = system + summary + sum(own);
    const growth = before > 0 ? Math.max(0, total - before) : 0;
    before = total;
    const full = policy !== undefined && planNextStep(total, growth, "none", policy).step !== "call";
    const budget = full ? policy.contextWindow * policy.keep : 0;
    const cut = full
      ? planCut(messages.slice(from, call.messages), budget, ({ number }) => sizeOf(number - 1))
      : undefined;
    if (cut === undefined || cut <= from)
      return { from, summary, sizes: own, compacted: false, summarising: undefined };
    const read =
      summary + estimateTokens(`${summaryInstructions}\n${transcriptOf(messages.slice(from, cut))}`);
    from = cut;
    summary = plannedSummary;
    own = measure();
    before = system + summary + sum(own);
    const summarising = { input: read, cacheWrite: 0, cacheRead: 0, output: plannedSummary };
    return { from, summary, sizes: own, compacted: true, summarising };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
