import {
  callsOfResults,
  type StoredMessage,
  type ToolResult,
  textOf,
  textsIn,
  toolCallsOf,
  toolResultsOf,
} from "../context/conversation.ts";
import { fenceContent } from "../context/fence.ts";
import type { ClearingPolicy } from "../engine/agent-defaults.ts";
import { recordId } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { dropTrailing, oneLine } from "../engine/text.ts";

export interface ClearableResult {
  /** The result's own number. */
  id: string;
  message: number;
  tool: string;
  summary: string;
  tokens: number;
  /** The line of the agent's notes that covers it, if there is one. */
  finding?: string;
}

export interface ClearingInput {
  /** Records which results are already cleared. */
  state: Pick<State, "resident">;
  messages: readonly StoredMessage[];
  /** The whole text of a result that the messages show only in part. */
  originalOf: (key: string) => string | undefined;
  /**
   * Model calls still expected in this epoch (see `estimateCallsLeft`), which decide whether clearing pays. Undefined if the
   * prompt is rewritten anyway, so that clearing costs nothing.
   */
  callsLeft: number | undefined;
  /** Memory tools, whose results are never cleared. */
  memoryTools: ReadonlySet<string>;
  /** The memory tools that write: the input of such a call is saved in memory. */
  writingTools: ReadonlySet<string>;
  countTokens: (text: string) => number;
  policy: ClearingPolicy;
}

/** The tools that write to NOTES.md. */
const projectTools: ReadonlySet<string> = new Set(["log_decision", "log_entry", "log_handoff"]);

/** Size of a stub. */
const stubTokens = 80;

/** Prices of an input token that the provider reads from its cache, or writes to it, relative to a fresh one. */
const [cachedPrice, writePrice] = [0.1, 1.25];

/** Number of recent calls used to estimate how fast the conversation grows. */
const growthCalls = 30;

/**
 * Results to clear now, if any. Clearing invalidates the prompt cache from the first cleared result on, so it runs in
 * batches, and only when the savings over the rest of the epoch exceed the cost of the rewrite.
 */
export function planClearing({
  state,
  messages,
  originalOf,
  callsLeft,
  memoryTools,
  writingTools,
  countTokens,
  policy,
}: ClearingInput): ClearableResult[] {
  const isCleared = ({ key }: ToolResult) => state.resident.has(recordId("cleared", key));
  const calls = callsOfResults(messages);
  const results = messages.flatMap((stored) => factsOf(stored, countTokens).results);
  const noteFor = coveringNotes(messages, writingTools);
  const inputOf = ({ key }: ToolResult) => calls.get(key)?.input;
  const candidates = findCandidates({
    results: results.filter(({ tool }) => !memoryTools.has(tool)),
    isCleared,
    isWorkedIn: (result) =>
      isLongEnough(result.tool, inputOf(result), result.text) &&
      noteFor(result, inputOf(result)) !== undefined,
    isFree: callsLeft === undefined,
    policy,
  });
  if (callsLeft === undefined) return candidates.map(cleared);
  let batch = candidates.length;
  let bestGain = 0;
  let saved = 0;
  let behind = 0;
  let next = messages.length - 1;
  // From the newest back: each further candidate saves more, but rewrites more of the prompt.
  for (let start = candidates.length - 1; start >= 0; start--) {
    const { message, tokens } = candidates[start] as MeasuredResult;
    for (let stored = messages[next]; stored && stored.number >= message; stored = messages[--next]) {
      behind += promptTokens(stored, countTokens, isCleared);
    }
    saved += tokens - stubTokens;
    const gain = saved * callsLeft * cachedPrice - (behind - saved) * (writePrice - cachedPrice);
    if (gain > bestGain) {
      bestGain = gain;
      batch = start;
    }
  }
  return candidates.slice(batch).map(cleared);

  function cleared(candidate: MeasuredResult): ClearableResult {
    const { key, message, tool, tokens, text } = candidate;
    const found = noteFor(candidate, inputOf(candidate));
    const summary = found
      ? `${fenceContent(dropTrailing(found.text, "."))}. ${projectTools.has(found.tool) ? "Logged to NOTES.md" : `Saved with ${found.tool}`}.`
      : describeResult(tool, inputOf(candidate), originalOf(key) ?? text);
    return { id: key, message, tool, tokens, summary, ...(found ? { finding: found.text } : {}) };
  }
}

/**
 * Estimates the calls left in this epoch from the room left and the growth per recent call. Capped at the number of
 * calls so far, since most conversations end before they fill their window.
 */
export function estimateCallsLeft(
  messages: readonly StoredMessage[],
  room: number,
  countTokens: (text: string) => number,
): number {
  let calls = 0;
  let recent = 0;
  for (const stored of messages.toReversed()) {
    if (calls < growthCalls) recent += factsOf(stored, countTokens).tokens;
    if (stored.message.role === "assistant") calls++;
  }
  const growth = recent / Math.max(1, Math.min(calls, growthCalls));
  return growth > 0 ? Math.floor(Math.max(0, Math.min(room / growth, calls))) : 0;
}

interface MeasuredResult extends ToolResult {
  tokens: number;
}

interface CandidateInput {
  results: readonly MeasuredResult[];
  isCleared: (result: ToolResult) => boolean;
  isWorkedIn: (result: MeasuredResult) => boolean;
  isFree: boolean;
  policy: ClearingPolicy;
}

/** Small results that together have fewer tokens would not replace a compaction. */
const muchTogether = 15_000;

/** Old results that are large or that the notes cover; also small ones, if clearing may replace a compaction. Oldest first. */
function findCandidates({
  results,
  isCleared,
  isWorkedIn,
  isFree,
  policy,
}: CandidateInput): MeasuredResult[] {
  const { keepLast, largeTokens, leastTokens, exclude } = policy;
  const present = results.filter((result) => !isCleared(result));
  const isMuch = present.reduce((sum, { tokens }) => sum + tokens, 0) >= muchTogether;
  const newest = new Set(results.slice(Math.max(0, results.length - keepLast)));
  return present.filter(
    (result) =>
      !newest.has(result) &&
      result.tokens >= leastTokens &&
      !exclude.includes(result.tool) &&
      ((isFree && isMuch) || result.tokens >= largeTokens || isWorkedIn(result)),
  );
}

interface MessageFacts {
  tokens: number;
  results: readonly MeasuredResult[];
}

/** Messages never change, so count each once: recounting the whole history on every turn is slow. */
const knownFacts = new WeakMap<(text: string) => number, WeakMap<StoredMessage, MessageFacts>>();

function factsOf(stored: StoredMessage, countTokens: (text: string) => number): MessageFacts {
  const known = knownFacts.get(countTokens) ?? new WeakMap<StoredMessage, MessageFacts>();
  knownFacts.set(countTokens, known);
  const facts = known.get(stored) ?? measure(stored, countTokens);
  known.set(stored, facts);
  return facts;
}

function measure(stored: StoredMessage, countTokens: (text: string) => number): MessageFacts {
  const results = toolResultsOf(stored).map((result) => ({ ...result, tokens: countTokens(result.text) }));
  const tokens =
    stored.message.role === "tool"
      ? results.reduce((sum, result) => sum + result.tokens, 0)
      : countTokens(textOf(stored.message));
  return { tokens, results };
}

/** Tokens of a message in the prompt, with its cleared results as stubs. */
function promptTokens(
  stored: StoredMessage,
  countTokens: (text: string) => number,
  isCleared: (result: ToolResult) => boolean,
): number {
  const { tokens, results } = factsOf(stored, countTokens);
  return results.reduce(
    (sum, result) => (isCleared(result) ? sum - result.tokens + stubTokens : sum),
    tokens,
  );
}

/** Describes a result in one line, so that the agent can decide whether to read it again. */
function describeResult(tool: string, input: unknown, text: string): string {
  const lines = text.split("\n").length;
  const json = JSON.stringify(input ?? {});
  return `${tool} ${json.length > 120 ? `${json.slice(0, 120).toWellFormed()}…` : json} gave ${lines} lines, ${text.length} characters.`;
}

const searchCommand = /^\s*(?:\w+=\S+\s+)*(?:cd\s+\S+\s*&&\s*)?(?:git\s+grep|grep|rg|ag|ack|fd|find)\b/;
const fileCommand = /^\s*(?:cd\s+\S+\s*&&\s*)?(?:cat|head|tail|sed\s+-n|bat|less|nl)\b/;

/** A short search, of at most 20 lines, or file, of at most 100, stays although the notes cover it. Others have no such limit. */
export function isLongEnough(tool: string, input: unknown, text: string): boolean {
  const { command } = (input ?? {}) as { command?: unknown };
  const isCommand = typeof command === "string";
  const isSearch = isCommand ? searchCommand.test(command) : /grep|search|find|glob|\brg\b/i.test(tool);
  const isFile = isCommand ? fileCommand.test(command) : /read|cat|file|view|open/i.test(tool);
  const most = isSearch ? 20 : isFile ? 100 : 0;
  return dropTrailing(text, "\n").split("\n", most + 1).length > most;
}

/** A line of the agent's notes, and the tool that wrote it. */
interface Finding {
  text: string;
  tool: string;
}

/** Max characters of the line that covers a result. */
const maxFinding = 160;

/** This many shared names identify a result, and a path, a URL or an outcome alone does. */
const enoughNames = 2;

/**
 * Finds the line of the notes that covers a result: the agent wrote it after the result, and it has names of the result or
 * of its call.
 */
export function coveringNotes(
  messages: readonly StoredMessage[],
  writes: ReadonlySet<string>,
): (result: ToolResult, input: unknown) => Finding | undefined {
  const written = messages.flatMap((stored) =>
    linesWritten(stored, writes).map((line) => ({ ...line, number: stored.number })),
  );
  return (result, input) => {
    const later = written.filter(({ number }) => number > result.message);
    if (later.length === 0) return undefined;
    const own = knownNames.get(result) ?? namesIn([...textsIn(input), result.text].join("\n"));
    knownNames.set(result, own);
    const commands = textsIn(input).filter((text) => text.length >= 5);
    const shared = new Set<string>();
    for (const { text, tool, names } of later) {
      const same = names.intersection(own);
      for (const name of same) shared.add(name);
      const isNamed = [...same].some(isUnique) || commands.some((command) => text.includes(command));
      if (isNamed || shared.size >= enoughNames) return { text: oneLine(text, maxFinding), tool };
    }
    return undefined;
  };
}

/** Messages never change, so search each only once. */
const knownLines = new WeakMap<StoredMessage, readonly (Finding & { names: ReadonlySet<string> })[]>();
/** An item that is still open is not a finding. */
const openItem = /^\s*(?:[-*]|\d{1,4}[.)])\s+\[ \]\s/;

const knownNames = new WeakMap<ToolResult, ReadonlySet<string>>();
const noLines: readonly never[] = [];

function linesWritten(stored: StoredMessage, writes: ReadonlySet<string>) {
  if (stored.message.role !== "assistant") return noLines;
  const known = knownLines.get(stored);
  if (known) return known;
  const lines = toolCallsOf(stored)
    .filter(({ tool }) => writes.has(tool))
    .flatMap(({ tool, input }) =>
      textsIn(input)
        .flatMap((text) => text.split("\n"))
        .filter((text) => text.trim() !== "" && !openItem.test(text))
        .map((text) => ({ text, tool, names: namesIn(text, 2) })),
    );
  knownLines.set(stored, lines);
  return lines;
}

/** Of a longer text only the newest part is searched. */
const maxSearched = 200_000;

/** A path, a URL or a file with its ending, an issue or a commit, or the outcome of a run such as "12 passed". */
const uniquePattern =
  /[/\\]\w|\w\.[A-Za-z]{1,5}$|^#\d+$|^[A-Z][A-Z0-9]{0,9}-\d+$|^(?=[a-f]{0,40}\d)[0-9a-f]{7,40}$|^\d+ [a-z]/;

function isUnique(name: string): boolean {
  return uniquePattern.test(name);
}

/** Names in code, and numbers that say something: with a unit or a separator, or of three digits and more. */
const weakPattern = /[a-z0-9][A-Z]|\w_\w|^[$€£]?\d[\d.,]*(?:%|[kKmMbB])?$/;

const outcomePattern = /\b\d+ (?:pass|fail|error|test)\w*/gi;

/** Words that may be names; a longer one is base64 or minified code. */
const wordPattern = /[^\s"'`<>()[\]{},;]{2,300}/g;

/**
 * The names that identify a text. A path is also known by its end: of at least so many `segments`, because a note may name
 * a file alone, but a path in it is not that of a file of the same name elsewhere.
 */
function namesIn(text: string, segments = 1): ReadonlySet<string> {
  const searched = text.slice(-maxSearched);
  const outcomes = (searched.match(outcomePattern) ?? []).map((outcome) => outcome.toLowerCase());
  const words = (searched.match(wordPattern) ?? []).flatMap((word) => {
    const name = dropTrailing(word, ".:").replace(/:\d{1,9}(?:-\d{1,9})?$/, "");
    if (isUnique(name)) return [name, ...endsOf(name, segments)];
    return name.length >= 3 && weakPattern.test(name) ? [name] : [];
  });
  return new Set([...outcomes, ...words]);
}

/** `src/auth/jwt.ts` ends in `auth/jwt.ts` and `jwt.ts`. */
function endsOf(path: string, segments: number): string[] {
  const parts = path.split(/[/\\]/).filter((part) => part !== "");
  if (parts.length < 2 || parts.length > 20 || !/\.\w{1,5}$/.test(path)) return [];
  return parts.flatMap((_, at) => (parts.length - at >= segments ? parts.slice(at).join("/") : []));
}
