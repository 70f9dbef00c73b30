import { resultText, type StoredMessage, textOf } from "../context/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { RecordedCompaction, Transcript } from "./transcript.ts";

/** The parts of one recorded prompt, in tokens that add up to the provider's count. */
export interface CalibratedPrompt {
  /** Index of its first message; everything before is in the summary, or gone. */
  from: number;
  /** 0 if there is none. */
  summary: number;
  /** Tokens of the messages from `from` on. */
  sizes: readonly number[];
}

export interface Calibration {
  /** System prompt and tool definitions. */
  system: number;
  /** One for each recorded call. */
  prompts: CalibratedPrompt[];
  /** Tokens of each message of the transcript, as last seen in a prompt. */
  sizes: number[];
  /** Recorded tokens per estimated token, over all messages. */
  ratio: number;
}

/**
 * Sizes that add up to each call's recorded prompt. A call's growth over the previous one is distributed over its new
 * messages in proportion to their estimates; a shrinkage is taken from the newest messages, which the agent dropped.
 */
export function calibrate({ messages, calls, compactions }: Transcript): Calibration {
  const estimates = messages.map(estimateMessage);
  const sizes = [...estimates];
  const prompts: CalibratedPrompt[] = [];
  const pending = [...compactions];
  let system = 0;
  let from = 0;
  let summary = 0;
  let seen = 0;
  for (const [index, call] of calls.entries()) {
    const total = call.usage.input + call.usage.cacheRead + call.usage.cacheWrite;
    const compaction = takeLastBefore(pending, call.messages);
    if (compaction) ({ keptFrom: from } = compaction);
    const newMessages = range(Math.max(seen, from), call.messages);
    const newEstimate = sum(newMessages.map((at) => estimates[at] ?? 0));
    const summaryEstimate = compaction ? estimateTokens(compaction.summary) : 0;
    if (index === 0) system = Math.max(0, total - newEstimate - summaryEstimate);
    if (compaction) summary = 0;
    const held =
      system + summary + sum(range(from, Math.min(seen, call.messages)).map((at) => sizes[at] ?? 0));
    const scale =
      newEstimate + summaryEstimate > 0 ? Math.max(0, total - held) / (newEstimate + summaryEstimate) : 0;
    for (const at of newMessages) sizes[at] = (estimates[at] ?? 0) * scale;
    if (compaction) summary = summaryEstimate * scale;
    seen = Math.max(seen, call.messages);
    const promptSizes = range(from, call.messages).map((at) => sizes[at] ?? 0);
    adjustToTotal(promptSizes, total - system - summary);
    for (const [offset, tokens] of promptSizes.entries()) sizes[from + offset] = tokens;
    prompts.push({ from, summary, sizes: promptSizes });
  }
  const counted = range(0, seen);
  const ratio =
    sum(counted.map((at) => sizes[at] ?? 0)) / Math.max(1, sum(counted.map((at) => estimates[at] ?? 0)));
  return { system, prompts, sizes, ratio };
}

/** Removes the compactions before the call from the list and returns the last of them. */
function takeLastBefore(pending: RecordedCompaction[], messages: number): RecordedCompaction | undefined {
  let last: RecordedCompaction | undefined;
  while (pending[0] !== undefined && pending[0].messages <= messages) last = pending.shift();
  return last;
}

/** Makes the sizes add up: a surplus goes to the newest message, a shortfall is taken from the newest ones. */
function adjustToTotal(sizes: number[], total: number): void {
  let missing = total - sum(sizes);
  for (let at = sizes.length - 1; at >= 0 && Math.abs(missing) > 1e-6; at--) {
    const size = Math.max(0, (sizes[at] ?? 0) + missing);
    missing -= size - (sizes[at] ?? 0);
    sizes[at] = size;
  }
}

/** Estimates what the provider receives of a message: arguments and results count, ids hardly do. */
export function estimateMessage({ message }: StoredMessage): number {
  const overhead = 4;
  if (message.role !== "tool") return estimateTokens(textOf(message)) + overhead;
  return (
    sum(
      message.content.map((part) =>
        part.type === "tool-result" ? estimateTokens(resultText(part.output)) : 0,
      ),
    ) + overhead
  );
}

function range(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
