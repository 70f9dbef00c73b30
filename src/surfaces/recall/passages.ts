import type { StoredMessage } from "../../context/conversation.ts";
import { fittingLength, splitsPair } from "../../context/excerpt.ts";
import { fenceContent } from "../../context/fence.ts";
import { type ToldMessage, toldMessages } from "../../context/told-messages.ts";
import { isObject } from "../../engine/json.ts";
import { eachOccurrence, lowerCase, queryWords, rankPassages } from "../../engine/rank.ts";

/** A piece of a message, with a number to read on from: "12.3" is the third piece of message 12. */
export interface Passage {
  from: string;
  who: string;
  /** Milliseconds; 0 if it is not known. */
  at: number;
  text: string;
}

/** Characters of a passage: enough to be found by its words, and little enough to be about one thing. */
const passageLength = 1_400;

/** Where the pieces of a text begin. A piece ends at the end of a line or a word where that costs little. */
function pieceStarts(text: string): number[] {
  const starts = [0];
  for (let at = 0; at + passageLength < text.length; ) {
    const piece = text.slice(at, at + passageLength);
    const end = [piece.lastIndexOf("\n"), piece.lastIndexOf(" ")].find(
      (found) => found > passageLength * 0.7,
    );
    const next = at + (end === undefined ? passageLength : end + 1);
    at = splitsPair(text, next) ? next - 1 : next;
    starts.push(at);
  }
  return starts;
}

/** The number of the passage that has a character of a message's text. */
export function passageAt(message: number, text: string, offset: number): string {
  const index = pieceStarts(text).findLastIndex((start) => start <= offset);
  return `${message}.${index + 1}`;
}

/** Colors of a terminal. */
const colors = new RegExp(`${String.fromCharCode(27)}\\[[\\d;?]*[A-Za-z]`, "g");

/** The passages of messages, in order, without secrets: a secret that a cut goes through could not be found. */
export function passagesOf(messages: readonly StoredMessage[], hide: (text: string) => string): Passage[] {
  return toldMessages(messages).flatMap((told) => {
    const { stored } = told;
    const text = hide(textOf(told).replaceAll(colors, ""));
    if (text.trim() === "") return [];
    const starts = pieceStarts(text);
    return starts.map((start, index) => ({
      from: `${stored.number}.${index + 1}`,
      who: whoOf(told),
      at: stored.at,
      text: text.slice(start, starts[index + 1] ?? text.length),
    }));
  });
}

/** The text of a message. A result stands below its call, so that both are found together; earlier recalls are left out. */
function textOf({ parts }: ToldMessage): string {
  const texts = parts.map((part) => {
    if (part.type === "text") return part.text;
    if (isRecall(part.tool)) return "";
    const call = describeCall(part.tool, part.input);
    if (part.type === "call") return part.result ? "" : call;
    return `${call}\n→ ${part.result.text}`;
  });
  return texts.filter((text) => text !== "").join("\n");
}

function whoOf({ stored, parts }: ToldMessage): string {
  const result = parts.find((part) => part.type === "result");
  if (result?.type === "result")
    return result.tool === "tool" || result.tool === "" ? "result" : `result of ${result.tool}`;
  return stored.message.role === "assistant" ? "you" : stored.message.role;
}

/** A command as it was typed; any other call with its fields. */
function describeCall(tool: string, input: unknown): string {
  if (!isObject(input)) return tool;
  if (typeof input.command === "string") return `$ ${input.command}`;
  const fields = Object.entries(input).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [tool, ...fields].join("\n");
}

/** Earlier answers of recall would crowd out their sources. */
function isRecall(tool: string): boolean {
  return /(?:^|[_.:/-])recall(?:_result)?$/.test(tool);
}

/** The last time that a date can have. */
const maxTime = 8.64e15;

/** Tokens of an answer, and the passages in it. */
export const maxRecallTokens = 1_500;
const maxPassages = 5;

/** The passages that share most with a query, each cut to the part that does, within the room. */
export function findPassages(
  query: string,
  passages: readonly Passage[],
  room: number,
  countTokens: (text: string) => number,
): Passage[] {
  const best = bestOf(query, passages);
  let left = room;
  return best.map((passage, place) => {
    const share = left / (best.length - place);
    const text = cutAround(query, passage.text, share - headingTokens, countTokens);
    left -= countTokens(renderPassage({ ...passage, text })) + 1;
    return { ...passage, text };
  });
}

/** The user's own words count more: they are short, and long results repeat words more often. */
const userWeight = 1.5;

/** The best passages, without those that differ from a better one only in numbers. */
function bestOf(query: string, passages: readonly Passage[]): Passage[] {
  const ranked = rankPassages(
    query,
    passages.map(({ text }) => text),
  )
    .flatMap(({ index, score }) => {
      const passage = passages[index];
      return passage ? [{ passage, score: passage.who === "user" ? score * userWeight : score }] : [];
    })
    .sort((a, b) => b.score - a.score);
  const best = new Map<string, Passage>();
  for (const { passage } of ranked) {
    if (best.size === maxPassages) break;
    const shape = passage.text.slice(0, 400).replaceAll(/\d+/g, "0");
    if (!best.has(shape)) best.set(shape, passage);
  }
  return [...best.values()];
}

/** Tokens of the line above a passage. */
const headingTokens = 25;

/** The part of a text of at most this many tokens in which the query's words are. */
function cutAround(
  query: string,
  text: string,
  tokens: number,
  countTokens: (text: string) => number,
): string {
  if (countTokens(text) <= tokens) return text;
  const lower = lowerCase(text);
  const places: number[] = [];
  for (const word of queryWords(query)) eachOccurrence(word, text, lower, (from) => places.push(from));
  places.sort((a, b) => a - b);
  const length = fittingLength((size) => text.slice(0, size), text.length, Math.max(20, tokens), countTokens);
  let [start, most] = [0, 0];
  for (const [index, from] of places.entries()) {
    const within = places.slice(index).filter((place) => place < from + length * 0.9).length;
    if (within > most) [start, most] = [Math.max(0, from - Math.floor(length * 0.1)), within];
  }
  const end = Math.min(text.length, start + length);
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`.toWellFormed();
}

/** The passages from a number on, as many as fit, and the number of the next one. */
export function readOn(
  from: string,
  passages: readonly Passage[],
  room: number,
  countTokens: (text: string) => number,
): { passages: Passage[]; next: string | undefined } | undefined {
  const wanted = from.includes(".") ? from : `${from}.1`;
  // A message with nothing but calls is told with their results.
  const start = passages.findIndex((passage) => isFrom(passage.from, wanted));
  if (start === -1) return undefined;
  let left = room;
  let end = start;
  for (const passage of passages.slice(start)) {
    left -= countTokens(renderPassage(passage)) + 1;
    // A page must not be empty, however little room there is.
    if (left < 0 && end > start) break;
    end++;
  }
  return { passages: passages.slice(start, end), next: passages[end]?.from };
}

/** Whether a passage is the wanted one, or of a later message. */
function isFrom(from: string, wanted: string): boolean {
  return from === wanted || Number.parseInt(from, 10) > Number.parseInt(wanted, 10);
}

/** "[12.3] user, 2026-11-18 14:03 UTC", and the text. The text is data: it cannot pass for a marker of ours. */
export function renderPassage({ from, who, at, text }: Passage): string {
  const when = !(at > 0 && at < maxTime)
    ? ""
    : `, ${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `[${from}] ${who}${when}\n${fenceContent(text)}`;
}
