import { fenceLine } from "../context/fence.ts";
import type { CheckpointMemory } from "../engine/records.ts";

const [minTokens, maxTokens] = [200, 1_500];

/** Tokens for what is kept word for word: 3 % of the window, at least 200 and at most 1,500. */
export function keptWordsTokens(contextWindow: number): number {
  return Math.round(Math.min(maxTokens, Math.max(minTokens, contextWindow * 0.03)));
}

/** Share of the room for what the user stated; what it leaves is for short results. */
const saidShare = 0.6;

/**
 * What the user stated and the short results of removed calls, as a section, newest first where there is no room for
 * all; "" if there are none. Names alone do not say what belongs to what: a sentence does.
 */
export function renderKeptWords(
  { said = [], results = [] }: Partial<CheckpointMemory>,
  tokens: number,
  countTokens: (text: string) => number,
): string {
  const statements = newest(said, tokens * saidShare, countTokens);
  const left = tokens - countTokens(statements.join("\n"));
  const outcomes = newest(
    results.map(({ call, result }) => `${call} → ${result}`),
    left,
    countTokens,
  );
  if (statements.length + outcomes.length === 0) return "";
  const lines = [
    ...(statements.length === 0 ? [] : ["The user said:", ...statements]),
    ...(outcomes.length === 0 ? [] : ["Short results:", ...outcomes]),
  ];
  return `\n\n[Kept word for word]\n${lines.join("\n")}\n[End of what was kept]`;
}

/** The newest lines that fit, in their order. */
function newest(texts: readonly string[], tokens: number, countTokens: (text: string) => number): string[] {
  const lines: string[] = [];
  let left = tokens;
  for (const text of texts.toReversed()) {
    const line = `- ${fenceLine(text)}`;
    left -= countTokens(line) + 1;
    if (left < 0) break;
    lines.unshift(line);
  }
  return lines;
}
