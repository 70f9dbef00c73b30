import {
  type StoredMessage,
  spokenText,
  textOf,
  toolCallsOf,
  toolResultsOf,
} from "../context/conversation.ts";
import { chooseEnds, renderEnds } from "../context/excerpt.ts";
import { fenceContent, fenceLine, unfenceContent } from "../context/fence.ts";
import type { Checkpoint, Receipt } from "../engine/records.ts";
import { oneLine } from "../engine/text.ts";
import { planPasses } from "./summary-passes.ts";

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

/** Asks the agent's own model for a summary at the end of its prompt. Rejects if the model gives none. */
export type AskInPlace = (instruction: string) => Promise<string>;

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
  /** Asks the model that has just read the messages, if it can be asked. */
  askInPlace?: AskInPlace | undefined;
  /** The first message that stays, for a summary in place; "" if none does. */
  kept?: string | undefined;
  /** What the user wants the summary to focus on. */
  focus?: string | undefined;
  contextWindow: number;
  /** Tools of memory: what they wrote is in memory, in its last form. */
  memoryTools?: ReadonlySet<string> | undefined;
  countTokens: (text: string) => number;
  /** Called with the reason when a summary is rejected or missing. */
  onProblem: (problem: string) => void;
  signal: AbortSignal;
}

/** Token budget of a summary. */
export function summaryBudget(contextWindow: number): number {
  return Math.max(200, Math.floor(contextWindow * 0.1));
}

/**
 * Asks for a summary, first in place if possible; asks again if it is rejected, and falls back to a deterministic
 * summary.
 */
export async function summarise(ask: AskSummariser, input: SummaryInput): Promise<Summary> {
  const { removed, countTokens, contextWindow, onProblem, signal } = input;
  const earlier = summaryBody(input.earlier);
  // Require only the newest few: a summary that must carry dozens would be rejected every time.
  const openAsks = input.openAsks.slice(0, 5);
  const budget = summaryBudget(contextWindow);
  const { removedTokens = countTokens(transcriptOf(removed)) } = input;
  const tokens = removedTokens + countTokens(earlier);
  const settled = { ...input, earlier, openAsks };
  let { askInPlace } = input;
  let fault = "";
  for (let attempt = 1; attempt <= 2; attempt++) {
    const asking = askInPlace
      ? askInPlace(inPlaceInstructions(settled, fault))
      : askInPasses(ask, settled, fault);
    const text = await asking.catch((error) => {
      signal.throwIfAborted();
      onProblem(`The model gave no summary: ${error instanceof Error ? error.message : String(error)}`);
    });
    signal.throwIfAborted();
    const found = text === undefined ? "" : faultOf(text, openAsks, countTokens, tokens);
    if (text !== undefined && found === undefined) return { text: text.trim(), by: "model" };
    if (found) onProblem(`The summary was rejected: ${found}.`);
    // A separate request that fails once would fail again; in place, the prompt may have been the reason.
    if (text === undefined && !askInPlace) break;
    fault = found ?? "";
    askInPlace = undefined;
  }
  const text = deterministicSummary(earlier, removed, budget, countTokens, input.memoryTools);
  return { text, by: "deterministic" };
}

function faultOf(
  text: string,
  openAsks: readonly string[],
  countTokens: (text: string) => number,
  removed: number,
): string | undefined {
  return findSummaryFault(text, openAsks, { summary: countTokens(text), removed });
}

/** Max tokens of a summary's answer. */
export function maxSummaryTokens(contextWindow: number): number {
  return Math.max(256, Math.min(4_000, summaryBudget(contextWindow) * 2));
}

/** Summarises the messages in one request, or in several if they do not fit: each carries the last one's summary. */
async function askInPasses(ask: AskSummariser, input: SummaryInput, fault: string): Promise<string> {
  const { removed, contextWindow, countTokens } = input;
  const maxTokens = maxSummaryTokens(contextWindow);
  const framing = [summaryInstructions, ...framingSections(input, input.earlier, fault)].join("\n\n");
  // A tenth is for what the count may miss.
  const room = contextWindow * 0.9 - maxTokens - countTokens(framing);
  let earlier = input.earlier;
  for (const transcript of planPasses(removed, Math.max(room, contextWindow / 8), countTokens)) {
    const [before, ...after] = framingSections(input, earlier, fault);
    const messages = `The messages to summarise:\n${transcript}`;
    const sections = [before ?? "", messages, ...after].filter((part) => part !== "");
    earlier = await ask({ instructions: summaryInstructions, sections, maxTokens });
  }
  return earlier;
}

/** Share of the window for the earlier summary, and for all open requests. */
const framingShare = 0.15;

/** What surrounds the messages in a request: the earlier summary first, then what to mind. */
function framingSections(input: SummaryInput, earlier: string, fault: string): string[] {
  const { openAsks, focus = "", contextWindow, countTokens } = input;
  const cut = (text: string, share: number) => {
    const ends = chooseEnds(text, contextWindow * share, countTokens);
    return ends ? renderEnds(text, ends, "[…]") : text;
  };
  return [
    earlier === "" ? "" : `The earlier summary:\n${cut(earlier, framingShare)}`,
    ...openAsks.map((ask) => `Open request: ${cut(ask, framingShare / openAsks.length)}`),
    focus === "" ? "" : `The user asks you to focus on this: ${focus}`,
    fault === "" ? "" : `Your last summary was rejected: ${fault}. Write it again and fix that.`,
  ];
}

/** The instructions at the end of the agent's own prompt. */
function inPlaceInstructions(input: SummaryInput, fault: string): string {
  const { kept = "" } = input;
  const span =
    kept === ""
      ? "Summarise the conversation above."
      : `Summarise the conversation above up to the message that begins with ${JSON.stringify(oneLine(kept, 80))}; from there on it stays as it is.`;
  const [, ...sections] = framingSections(input, "", fault);
  return [`[System] ${summaryInstructions} Do not call a tool.`, span, ...sections]
    .filter((part) => part !== "")
    .join("\n\n");
}

const summaryStart = "[Summary of the conversation so far]";
const summaryEnd = "[End of summary]";

/** What the user asked last and the agent has not answered, as a section; "" if the checkpoint shows it whole. */
export function renderAsk(
  { text: shown, openAsks: [ask], askedIn }: Checkpoint,
  maxTokens: number,
  countTokens: (text: string) => number,
): string {
  if (ask === undefined || askedIn === undefined || shown.includes(fenceLine(ask))) return "";
  const ends = chooseEnds(ask, maxTokens, countTokens);
  const note = `[Cut here to fit the context window. Call recall with message ${askedIn} and offset ${ends?.head} to read the rest.]`;
  const text = ends ? renderEnds(ask, ends, note) : ask;
  return `\n\n[Asked and not answered yet]\n${fenceContent(text)}\n[End of what was asked]`;
}

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
  memoryTools: ReadonlySet<string> = new Set(),
): string {
  const lines: string[] = [];
  let tokens = 0;
  for (const stored of removed.toReversed()) {
    const line = describe(stored, memoryTools);
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

function describe(stored: StoredMessage, memoryTools: ReadonlySet<string>): string {
  const { message } = stored;
  if (message.role === "user") return `The user said: ${oneLine(spokenText(message), 600)}`;
  if (message.role === "tool") {
    return toolResultsOf(stored)
      .filter(({ isError }) => isError)
      .map(({ tool, text }) => `${tool} failed: ${oneLine(text, 120)}`)
      .join("\n");
  }
  const calls = toolCallsOf(stored)
    .filter(({ tool }) => !memoryTools.has(tool))
    .map(({ tool, input }) => `${tool} ${oneLine(JSON.stringify(input) ?? "", 100)}`);
  const spoken = oneLine(spokenText(message), 300);
  return [
    spoken === "" ? "" : `The agent said: ${spoken}`,
    calls.length > 0 ? `The agent called ${calls.join(", ")}` : "",
  ]
    .filter(Boolean)
    .join("\n");
}

/** Messages as a summariser reads them. */
function transcriptOf(messages: readonly StoredMessage[]): string {
  return messages.map(({ message }) => `${message.role}: ${textOf(message)}`).join("\n\n");
}
