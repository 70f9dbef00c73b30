import { resultText, type StoredMessage, textOf } from "../context/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { RecordedCompaction, Transcript } from "./transcript.ts";

/** What one recorded prompt was made of, in tokens that add up to what the provider counted. */
export interface CalibratedPrompt {
  /** Index of the first message in it; everything before is in the summary, or gone. */
  from: number;
  /** 0 where there is none. */
  summary: number;
  /** Tokens of the messages from `from` on. */
  sizes: readonly number[];
}

export interface Calibration {
  /** System prompt and tool definitions. */
  system: number;
  /** One for each recorded call. */
  prompts: CalibratedPrompt[];
  /** Tokens of every message of the transcript, as last seen in a prompt. */
  sizes: number[];
  /** Recorded tokens for one estimated token, over all messages. */
  ratio: number;
}

/**
 * Sizes that add up to each call's recorded prompt. What a call has more than the one before is shared among
 * its new messages by their estimates; what it has less is taken from the newest ones, which the agent dropped.
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
    const fresh = range(Math.max(seen, from), call.messages);
    const wanted = sum(fresh.map((at) => estimates[at] ?? 0));
    const asked = compaction ? estimateTokens(compaction.summary) : 0;
    if (index === 0) system = Math.max(0, total - wanted - asked);
    if (compaction) summary = 0;
    const held =
      system + summary + sum(range(from, Math.min(seen, call.messages)).map((at) => sizes[at] ?? 0));
    const scale = wanted + asked > 0 ? Math.max(0, total - held) / (wanted + asked) : 0;
    for (const at of fresh) sizes[at] = (estimates[at] ?? 0) * scale;
    if (compaction) summary = asked * scale;
    seen = Math.max(seen, call.messages);
    const own = range(from, call.messages).map((at) => sizes[at] ?? 0);
    adjustToTotal(own, total - system - summary);
    for (const [offset, tokens] of own.entries()) sizes[from + offset] = tokens;
    prompts.push({ from, summary, sizes: own });
  }
  const counted = range(0, seen);
  const ratio =
    sum(counted.map((at) => sizes[at] ?? 0)) / Math.max(1, sum(counted.map((at) => estimates[at] ?? 0)));
  return { system, prompts, sizes, ratio };
}

/** Removes the compactions before the call from the list and returns the last of them. */
function takeLastBefore(pending: RecordedCompaction[], messages: number): RecordedCompaction | undefined {
  let passed: RecordedCompaction | undefined;
  while (pending[0] !== undefined && pending[0].messages <= messages) passed = pending.shift();
  return passed;
}

/** Makes the sizes add up: a surplus goes to the newest message, a shortfall is taken from the newest ones. */
function adjustToTotal(sizes: number[], wanted: number): void {
  let missing = wanted - sum(sizes);
  for (let at = sizes.length - 1; at >= 0 && Math.abs(missing) > 1e-6; at--) {
    const size = Math.max(0, (sizes[at] ?? 0) + missing);
    missing -= size - (sizes[at] ?? 0);
    sizes[at] = size;
  }
}

/** What the provider is sent of a message, so arguments and results count and ids hardly do. */
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
