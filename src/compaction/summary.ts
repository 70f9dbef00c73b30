import { type StoredMessage, textOf } from "../context/conversation.ts";
import { chooseEnds, renderEnds } from "../context/excerpt.ts";
import { fenceContent, unfenceContent } from "../context/fence.ts";
import type { Handoff, Receipt } from "../engine/records.ts";
import { oneLine } from "../engine/text.ts";
import { renderSteps } from "./handoff.ts";

export const summaryInstructions = `You write the summary that replaces the older part of a conversation between a user and an agent. The agent continues from your summary, so write what it needs to go on.
Carry the earlier summary forward. Keep findings, decisions and their reasons, what was tried and failed, exact file paths, identifiers, numbers and names. Say what is finished so that it is not done again. Leave out pleasantries and raw tool output. Do not invent anything. Answer with the summary only.`;

/** The instructions and the input for a summarizer, in sections that stay the same on a retry. */
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
  /** The handoff, which the agent gets as well; "" if there is none. */
  handoff?: string | undefined;
  /** Asks the model that has just read the messages, if it can be asked. */
  askInPlace?: AskInPlace | undefined;
  /** The first message that stays, for a summary in place; "" if none does. */
  kept?: string | undefined;
  /** The user's focus for the summary. */
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

/**
 * Asks for a summary, first in place if possible; asks again if it is rejected, and falls back to a deterministic
 * summary.
 */
export async function summarise(ask: AskSummariser, input: SummaryInput): Promise<Summary> {
  const { removed, countTokens, contextWindow, onProblem, signal } = input;
  const earlier = summaryBody(input.earlier);
  const budget = summaryBudget(contextWindow);
  const { removedTokens = countTokens(transcriptOf(removed)) } = input;
  const tokens = removedTokens + countTokens(earlier);
  const settled = { ...input, earlier };
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
    const found =
      text === undefined ? "" : findSummaryFault(text, { summary: countTokens(text), removed: tokens });
    if (text !== undefined && found === undefined) return { text: text.trim(), by: "model" };
    if (found) onProblem(`The summary was rejected: ${found}.`);
    // A separate request that fails once would fail again; in place, the prompt may have been the reason.
    if (text === undefined && !askInPlace) break;
    fault = found ?? "";
    askInPlace = undefined;
  }
  const text = deterministicSummary({ earlier, removed, handoff: input.handoff }, budget, countTokens);
  return { text, by: "deterministic" };
}

/** Max tokens of a summary's answer. */
export function maxSummaryTokens(contextWindow: number): number {
  return Math.max(256, Math.min(4_000, summaryBudget(contextWindow) * 2));
}

/** Summarizes the messages in one request, or in several if they do not fit: each carries the last one's summary. */
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

/** Share of the window for the earlier summary. */
const framingShare = 0.15;

const keptAnyway =
  "The agent gets the text below in addition to your summary. Do not repeat it: spend your words on findings, reasons and decisions.";

const keptNowhere =
  "The agent gets nothing else of these messages. Give the user's open request and every rule of the user in the user's own words.";

/** The texts around the messages in a request: the earlier summary first, then the rules. */
function framingSections(input: SummaryInput, earlier: string, fault: string): string[] {
  const { handoff = "", focus = "", contextWindow, countTokens } = input;
  const cut = (text: string, share: number) => {
    const ends = chooseEnds(text, contextWindow * share, countTokens);
    return ends ? renderEnds(text, ends, "[…]") : text;
  };
  return [
    earlier === "" ? "" : `The earlier summary:\n${cut(earlier, framingShare)}`,
    handoff === "" ? keptNowhere : `${keptAnyway}\n${handoff}`,
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

/** The text that replaces the removed messages in the prompt: the summary, then the handoff. */
export function renderSummary({ text }: Summary, handoff: Handoff): string {
  const summary = `${summaryStart}\n${fenceContent(text)}\n${summaryEnd}`;
  return handoff.text === "" ? summary : `${summary}\n\n${handoff.text}`;
}

/** Our own summary without the handoff and the receipt below it; a host's summary unchanged. */
function summaryBody(rendered: string): string {
  const start = `${summaryStart}\n`;
  const end = rendered.indexOf(`\n${summaryEnd}`);
  if (!rendered.startsWith(start) || end === -1) return rendered;
  return unfenceContent(rendered.slice(start.length, end));
}

/** Tells a host's summarizer what is kept anyway. Never begins with a bracket, which some hosts take for JSON. */
export function keepText({ text, shown, plan }: Handoff): string {
  const isWhole = shown.cut + shown.leftOut === 0;
  const kept =
    text === ""
      ? ["The agent's notepad is"]
      : [
          isWhole ? "The user's messages word for word" : "The first and the newest of the user's messages",
          ...(plan.length === 0 ? [] : ["the to-do list"]),
          "the newest steps and the agent's notepad are",
        ];
  const rest = isWhole ? "" : " Carry forward what the user asked in between.";
  return `${kept.join(", ")} kept outside the conversation and shown to the agent again afterwards.${rest} Spend the summary on findings, reasons and decisions, exact paths, names and numbers, what failed, and what is finished.`;
}

/** Why a summary cannot replace the messages; undefined when it can. */
export function findSummaryFault(
  summary: string,
  tokens: { summary: number; removed: number },
): string | undefined {
  if (summary.trim() === "") return "it is empty";
  return tokens.summary >= tokens.removed ? "it is longer than what it replaces" : undefined;
}

/** Contains nothing of the conversation, so the next summary does not carry it. */
const allInHandoff = "The handoff below has all of it.";

/** A summary made without a model: the earlier summary, and the steps that the handoff does not show, newest in detail. */
export function deterministicSummary(
  { earlier, removed, handoff = "" }: Pick<SummaryInput, "earlier" | "removed" | "handoff">,
  budget: number,
  countTokens: (text: string) => number,
): string {
  const isEmpty = earlier === "" || earlier.trim() === allInHandoff;
  const carried = isEmpty ? [] : [`Earlier: ${oneLine(earlier.replace(/^(?:Earlier: )+/, ""), budget * 2)}`];
  const room = { tokens: Math.max(100, budget - countTokens(carried.join("\n"))) };
  const shown = new Set(handoff.split("\n"));
  const steps = renderSteps(removed, room, countTokens).filter((line) => !shown.has(line));
  // A summary is escaped as a whole, and a line that begins with "User:" would be.
  const items = steps.map((line) => unfenceContent(line.replace(/^User: /, "- The user said: ")));
  const text = [...carried, ...items].join("\n");
  return text === "" ? allInHandoff : text;
}

/** Messages as a summarizer reads them. */
function transcriptOf(messages: readonly StoredMessage[]): string {
  return messages.map(({ message }) => `${message.role}: ${textOf(message)}`).join("\n\n");
}

/** Tokens below which a result tells a summarizer nothing. */
const leastResult = 120;

interface Entry {
  text: string;
  tokens: number;
  isResult: boolean;
}

/**
 * The messages to summarize as texts of at most `room` tokens each, one per request. Whatever the user and the agent said
 * is whole. Results are whole too if they fit; otherwise they share the room, and newer ones get more of it. If even
 * short results do not fit, the messages are divided.
 */
export function planPasses(
  removed: readonly StoredMessage[],
  room: number,
  countTokens: (text: string) => number,
): string[] {
  const entries = removed.map(({ message }): Entry => {
    const text = `${message.role}: ${textOf(message)}`;
    return { text, tokens: countTokens(text) + 1, isResult: message.role === "tool" };
  });
  const all = sum(entries);
  if (all <= room) return [join(entries)];
  const results = entries.filter(({ isResult }) => isResult);
  const spoken = all - sum(results);
  if (spoken + results.length * leastResult <= room)
    return [join(shareByAge(entries, room - spoken, countTokens))];
  return divide(
    entries.map((entry) => cutTo(entry, entry.isResult ? room / 8 : room, countTokens)),
    room,
  );
}

/** Gives newer results more of the room; what one does not need goes to the others. */
function shareByAge(entries: readonly Entry[], room: number, countTokens: (text: string) => number): Entry[] {
  const values = new Map(entries.map((entry, index) => [entry, 1 + (2 * index) / entries.length]));
  const shares = new Map<Entry, number>();
  let open = entries.filter(({ isResult }) => isResult);
  let left = room;
  for (;;) {
    const value = open.reduce((all, entry) => all + (values.get(entry) ?? 0), 0);
    const shareOf = (entry: Entry) => (left * (values.get(entry) ?? 0)) / value;
    const small = open.filter((entry) => entry.tokens <= shareOf(entry));
    if (small.length === 0) {
      for (const entry of open) shares.set(entry, shareOf(entry));
      break;
    }
    for (const entry of small) {
      shares.set(entry, entry.tokens);
      left -= entry.tokens;
    }
    open = open.filter((entry) => !small.includes(entry));
  }
  return entries.map((entry) => {
    const share = shares.get(entry);
    return share === undefined ? entry : cutTo(entry, share, countTokens);
  });
}

function cutTo(entry: Entry, room: number, countTokens: (text: string) => number): Entry {
  const noteTokens = 12;
  const ends = chooseEnds(entry.text, Math.max(0, room - noteTokens), countTokens);
  if (!ends) return entry;
  const note = `[… ${entry.text.length - ends.head - ends.tail} characters …]`;
  const text = renderEnds(entry.text, ends, note);
  return { ...entry, text, tokens: countTokens(text) + 1 };
}

function divide(entries: readonly Entry[], room: number): string[] {
  const passes: Entry[][] = [[]];
  let used = 0;
  for (const entry of entries) {
    if (used + entry.tokens > room && used > 0) {
      passes.push([]);
      used = 0;
    }
    passes.at(-1)?.push(entry);
    used += entry.tokens;
  }
  return passes.map(join);
}

function join(entries: readonly Entry[]): string {
  return entries.map(({ text }) => text).join("\n\n");
}

function sum(entries: readonly Entry[]): number {
  return entries.reduce((all, { tokens }) => all + tokens, 0);
}
