import {
  type StoredMessage,
  spokenText,
  textOf,
  toolCallsOf,
  toolResultsOf,
} from "../context/conversation.ts";
import { fenceContent, unfenceContent } from "../context/fence.ts";
import type { Checkpoint, Receipt } from "../engine/records.ts";
import { oneLine } from "../engine/text.ts";

export const summaryInstructions = `You write the summary that replaces the older part of a conversation between a user and an agent. The agent continues from your summary alone, so write what it needs to go on.
Carry the earlier summary forward. Keep every open request of the user word for word. Keep decisions and their reasons, what was tried and failed, exact file paths, identifiers, numbers and names. Say what is finished so that it is not done again. Leave out pleasantries and raw tool output. Do not invent anything. Answer with the summary only.`;

/** The instructions and the input for a summariser, in sections that stay the same on a retry. */
export interface SummaryRequest {
  instructions: string;
  sections: readonly string[];
  /** Max tokens of the answer. */
  maxTokens: number;
}

/** Asks a model for a summary. Rejects if the model gives none. */
export type AskSummariser = (request: SummaryRequest) => Promise<string>;

export interface Summary {
  text: string;
  by: Receipt["summaryBy"];
}

export interface SummaryInput {
  /** The summary of the epoch that ends, as the model read it; "" for the first. */
  earlier: string;
  /** The removed messages, as the model read them. */
  removed: readonly StoredMessage[];
  /** Tokens they take in the prompt (default: those of their text). */
  removedTokens?: number | undefined;
  openAsks: readonly string[];
  /** What the user wants the summary to focus on. */
  focus?: string | undefined;
  contextWindow: number;
  countTokens: (text: string) => number;
  /** Called with the reason when a summary is rejected or missing. */
  onProblem: (problem: string) => void;
  signal: AbortSignal;
}

/** Token budget of a summary. */
export function summaryBudget(contextWindow: number): number {
  return Math.max(200, Math.floor(contextWindow * 0.1));
}

/** Asks the model for a summary, retries once if it is rejected, and falls back to a deterministic summary. */
export async function summarise(ask: AskSummariser, input: SummaryInput): Promise<Summary> {
  const { removed, countTokens, contextWindow, onProblem, signal } = input;
  const earlier = summaryBody(input.earlier);
  // Require only the newest few: a summary that must carry dozens would be rejected every time.
  const openAsks = input.openAsks.slice(0, 5);
  const budget = summaryBudget(contextWindow);
  const { removedTokens = countTokens(transcriptOf(removed)) } = input;
  const tokens = removedTokens + countTokens(earlier);
  const maxTokens = Math.max(256, Math.min(4_000, budget * 2));
  let fault = "";
  for (let attempt = 1; attempt <= 2; attempt++) {
    const sections = summarySections({ ...input, earlier, openAsks }, fault);
    const text = await ask({ instructions: summaryInstructions, sections, maxTokens }).catch((error) => {
      signal.throwIfAborted();
      onProblem(`The model gave no summary: ${error instanceof Error ? error.message : String(error)}`);
    });
    signal.throwIfAborted();
    if (text === undefined) break;
    const found = findSummaryFault(text, openAsks, { summary: countTokens(text), removed: tokens });
    if (!found) return { text: text.trim(), by: "model" };
    fault = found;
    onProblem(`The summary was rejected: ${found}.`);
  }
  return { text: deterministicSummary(earlier, removed, budget, countTokens), by: "deterministic" };
}

function summarySections(input: SummaryInput, fault: string): string[] {
  const { earlier, removed, openAsks, focus = "", contextWindow } = input;
  // About three characters per token leaves room for the instructions and the answer.
  const perMessage = Math.floor((contextWindow * 2) / Math.max(1, removed.length));
  const transcript = transcriptOf(removed, Math.max(400, Math.min(4_000, perMessage)));
  return [
    earlier === "" ? "" : `The earlier summary:\n${earlier}`,
    `The messages to summarise:\n${transcript.slice(-contextWindow * 3).toWellFormed()}`,
    ...openAsks.map((ask) => `Open request: ${ask.slice(0, 2_000).toWellFormed()}`),
    focus === "" ? "" : `The user asks you to focus on this: ${focus}`,
    fault === "" ? "" : `Your last summary was rejected: ${fault}. Write it again and fix that.`,
  ].filter((part) => part !== "");
}

const summaryStart = "[Summary of the conversation so far]";
const summaryEnd = "[End of summary]";

/** The text that replaces the removed messages in the prompt: the summary, then the checkpoint. */
export function renderSummary({ text }: Summary, checkpoint: Checkpoint): string {
  return `${summaryStart}\n${fenceContent(text)}\n${summaryEnd}\n\n${checkpoint.text}`;
}

/** Our own summary without the checkpoint and the receipt below it; a host's summary unchanged. */
function summaryBody(rendered: string): string {
  const start = `${summaryStart}\n`;
  const end = rendered.indexOf(`\n${summaryEnd}`);
  if (!rendered.startsWith(start) || end === -1) return rendered;
  return unfenceContent(rendered.slice(start.length, end));
}

/** Tells a host's summariser what to keep. Never begins with a bracket, which some hosts take for JSON. */
export function keepText(checkpoint: Checkpoint): string {
  return `Carry over into the summary what is between the markers below: open requests word for word, decisions, exact paths, names and numbers, what failed, and what is finished so that it is not done again. The agent's notepad and plan are kept outside the conversation and are shown to it again afterwards, so they need not be repeated.\n\n${checkpoint.text}`;
}

/** Why a summary cannot replace the messages; undefined when it can. */
export function findSummaryFault(
  summary: string,
  asks: readonly string[],
  tokens: { summary: number; removed: number },
): string | undefined {
  if (summary.trim() === "") return "it is empty";
  if (tokens.summary >= tokens.removed) return "it is longer than what it replaces";
  const lost = asks.find((ask) => !carries(summary, ask));
  return lost === undefined
    ? undefined
    : `it lost the user's open request: ${lost.slice(0, 500).toWellFormed()}`;
}

/** A request counts as carried if the summary has at least half of its significant words; in a short one every word counts. */
function carries(summary: string, ask: string): boolean {
  const all = wordsOf(ask);
  const long = all.filter((word) => word.length >= 4 || /\p{N}/u.test(word));
  const words = (long.length >= 3 ? long : all).slice(0, 40);
  if (words.length === 1 && long.length === 0) return true;
  const summaryWords = new Set(wordsOf(summary));
  const text = summary.toLowerCase();
  const isPresent = (word: string) => summaryWords.has(word) || (word.length >= 4 && text.includes(word));
  return words.filter(isPresent).length >= words.length * 0.5;
}

/** Distinct words; in scripts without spaces between words, every pair of neighbouring characters. */
function wordsOf(text: string): string[] {
  const words =
    text.toLowerCase().match(/[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}_./-]*[\p{L}\p{M}\p{N}])?/gu) ?? [];
  return [...new Set(words.flatMap((word) => (unspaced.test(word) ? pairsOf(word) : [word])))];
}

const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

function pairsOf(word: string): string[] {
  const characters = [...word];
  if (characters.length < 2) return [word];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** A summary made without a model: requests, calls, failures and answers, dropping the oldest first. */
export function deterministicSummary(
  earlier: string,
  removed: readonly StoredMessage[],
  budget: number,
  countTokens: (text: string) => number,
): string {
  const lines: string[] = [];
  let tokens = 0;
  for (const stored of removed.toReversed()) {
    const line = describe(stored);
    if (line === "") continue;
    tokens += countTokens(line) + 1;
    if (tokens > budget && lines.length > 0) {
      lines.push("… (older messages can be recalled)");
      break;
    }
    lines.push(line);
  }
  const carried = earlier === "" ? [] : [`Earlier: ${oneLine(earlier, budget * 2)}`];
  return [...carried, ...lines.reverse()].join("\n");
}

function describe(stored: StoredMessage): string {
  const { message } = stored;
  if (message.role === "user") return `The user said: ${oneLine(spokenText(message), 600)}`;
  if (message.role === "tool") {
    return toolResultsOf(stored)
      .filter(({ isError }) => isError)
      .map(({ tool, text }) => `${tool} failed: ${oneLine(text, 120)}`)
      .join("\n");
  }
  const calls = toolCallsOf(stored).map(
    ({ tool, input }) => `${tool} ${oneLine(JSON.stringify(input) ?? "", 100)}`,
  );
  const spoken = oneLine(spokenText(message), 300);
  return [
    spoken === "" ? "" : `The agent said: ${spoken}`,
    calls.length > 0 ? `The agent called ${calls.join(", ")}` : "",
  ]
    .filter(Boolean)
    .join("\n");
}

/** The removed messages as the summariser reads them; long messages are shortened. */
export function transcriptOf(removed: readonly StoredMessage[], maxPerMessage = 4_000): string {
  return removed
    .map(({ message }) => {
      const text = textOf(message);
      return `${message.role}: ${text.length > maxPerMessage ? `${text.slice(0, maxPerMessage).toWellFormed()} … (${text.length - maxPerMessage} more characters)` : text}`;
    })
    .join("\n\n");
}
