import {
  type StoredMessage,
  type ToolResult,
  textOf,
  textsIn,
  toolCallsOf,
  toolResultsOf,
} from "../context/conversation.ts";
import { fenceContent } from "../context/fence.ts";
import { callsOfResults } from "../context/pairs.ts";
import type { ClearingPolicy } from "../engine/clearing-policy.ts";
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
  /** Model calls still expected in this epoch; see `estimateCallsLeft`. */
  callsLeft: number;
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
  const covers = workedIn(messages, writingTools);
  const findings = new Map(
    results.map((result) => [result.key, () => covers({ ...result, input: calls.get(result.key)?.input })]),
  );
  const candidates = findCandidates({
    results: results.filter(({ tool }) => !memoryTools.has(tool)),
    isCleared,
    kindOf: ({ key, tool, text }) => kindOfResult(tool, calls.get(key)?.input, text),
    isWorkedIn: ({ key }) => findings.get(key)?.() !== undefined,
    policy,
  });
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
    const gain =
      saved * callsLeft * policy.cachedPrice - (behind - saved) * (policy.writePrice - policy.cachedPrice);
    if (gain > bestGain) {
      bestGain = gain;
      batch = start;
    }
  }
  if (batch === candidates.length) return [];
  return candidates.slice(batch).map(({ key, message, tool, tokens, text }) => {
    const found = findings.get(key)?.();
    const summary = found
      ? `${fenceContent(dropTrailing(found.text, "."))}. ${projectTools.has(found.tool) ? "Logged to NOTES.md" : `Saved with ${found.tool}`}.`
      : describeResult(tool, calls.get(key)?.input, originalOf(key) ?? text);
    return { id: key, message, tool, tokens, summary, ...(found ? { finding: found.text } : {}) };
  });
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
  kindOf: (result: MeasuredResult) => ResultKind;
  isWorkedIn: (result: MeasuredResult) => boolean;
  policy: ClearingPolicy;
}

/** Old results that are large, small ones that have accumulated, and those the notes already cover; oldest first. */
function findCandidates({
  results,
  isCleared,
  kindOf,
  isWorkedIn,
  policy,
}: CandidateInput): MeasuredResult[] {
  const present = results.filter((result) => !isCleared(result));
  const total = present.reduce((sum, { tokens }) => sum + tokens, 0);
  const newest = new Set(results.slice(Math.max(0, results.length - policy.keepLast)));
  const old = present
    .filter(
      (result) =>
        !newest.has(result) && result.tokens >= policy.leastTokens && !policy.exclude.includes(result.tool),
    )
    .map((result) => ({ result, kind: kindOf(result) }));
  const accumulated = { search: 0, file: 0, tree: 0, json: 0, test: 0, other: 0 };
  for (const { result, kind } of old) accumulated[kind] += result.tokens;
  return old
    .filter(
      ({ result, kind }) =>
        result.tokens >= policy[`${kind}Tokens`] ||
        accumulated[kind] >= policy.accumulatedTokens ||
        total >= policy.sessionTokens ||
        (isLongEnough(kind, result.text) && isWorkedIn(result)),
    )
    .map(({ result }) => result);
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

/** The kind of a tool result; each kind has its own size from which clearing pays. */
type ResultKind = "search" | "file" | "tree" | "json" | "test" | "other";

const commands: [kind: ResultKind, pattern: RegExp][] = [
  [
    "test",
    /\b(?:(?:npm|pnpm|yarn|bun|cargo|go|dotnet|mvn|gradlew?) (?:run )?test|pytest|jest|vitest|mocha|rspec|phpunit|ctest|node --test)\b/,
  ],
  ["tree", /^\s*(?:tree\b|ls\s+-\w*R|find\s+\S+\s*(?:-type\s+\w\s*)?(?:$|[|;]))/],
  ["search", /^\s*(?:\w+=\S+\s+)*(?:cd\s+\S+\s*&&\s*)?(?:git\s+grep|grep|rg|ag|ack|fd|find)\b/],
  ["file", /^\s*(?:cd\s+\S+\s*&&\s*)?(?:cat|head|tail|sed\s+-n|bat|less|nl)\b/],
];

const names: [kind: ResultKind, pattern: RegExp][] = [
  ["test", /(?:^|[_-])tests?(?:$|[_-])/i],
  ["tree", /tree|list_?(?:dir|files)|directory|^ls$/i],
  ["search", /grep|search|find|glob|\brg\b/i],
  ["file", /read|cat|file|view|open/i],
];

/** Judged by the command for a shell, by the tool's name otherwise; if neither matches, by whether the text looks like JSON. */
export function kindOfResult(tool: string, input: unknown, text: string): ResultKind {
  const { command } = (input ?? {}) as { command?: unknown };
  const [patterns, subject] = typeof command === "string" ? [commands, command] : [names, tool];
  const known = patterns.find(([, pattern]) => pattern.test(subject))?.[0];
  return known ?? (/^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text) ? "json" : "other");
}

/** Min lines for which a result is worth clearing once the notes cover it. */
const minLines: Record<ResultKind, number> = { search: 21, file: 101, tree: 1, json: 1, test: 1, other: 1 };

export function isLongEnough(kind: ResultKind, text: string): boolean {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && lines < minLines[kind]; at = text.indexOf("\n", at + 1))
    if (at < text.length - 1) lines++;
  return lines >= minLines[kind];
}

/** The names that identify a text, by weight: a path, URL, id or command does; a symbol or a number alone hardly does. */
interface Marks {
  names: ReadonlySet<string>;
  symbols: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
}

/** A line that the agent wrote to its memory. */
interface Line extends Marks {
  text: string;
  tool: string;
}

/** The line of the notes that covers a result, and the tool that wrote it. */
interface Finding {
  text: string;
  tool: string;
}

/** This many shared symbols or numbers count as much as one shared name. */
const enoughWeak = 2;

interface WorkedResult {
  message: number;
  text: string;
  /** The input of the call, which names what the result is about. */
  input?: unknown;
}

/**
 * Tests whether a result has been worked into the notes, and returns the line that covers it: a later memory write names
 * something in the result or in its call, or the outcome of a run. `writes` are the tools that write.
 */
export function workedIn(
  messages: readonly StoredMessage[],
  writes: ReadonlySet<string>,
): (result: WorkedResult) => Finding | undefined {
  const written = messages.flatMap((stored) => {
    const lines = linesWritten(stored, writes);
    return lines.length === 0 ? [] : [{ number: stored.number, lines }];
  });
  return (result) => {
    const later = written.filter(({ number }) => number > result.message);
    if (later.length === 0) return undefined;
    const own = marksOfResult(result);
    const commands = textsIn(result.input).filter((text) => text.length >= 5);
    const weak = new Set<string>();
    for (const { lines } of later) {
      for (const line of lines) {
        const isNamed =
          !line.names.isDisjointFrom(own.names) || commands.some((text) => line.text.includes(text));
        for (const mark of [...line.symbols, ...line.numbers])
          if (own.symbols.has(mark) || own.numbers.has(mark)) weak.add(mark);
        if (isNamed || weak.size >= enoughWeak)
          return { text: oneLine(line.text, maxFinding), tool: line.tool };
      }
    }
    return undefined;
  };
}

/** Max characters of the line that covers a result. */
const maxFinding = 160;

/** Messages never change, so search each only once. */
const knownLines = new WeakMap<StoredMessage, readonly Line[]>();
const knownMarks = new WeakMap<WorkedResult, Marks>();

const noLines: readonly Line[] = [];

function linesWritten(stored: StoredMessage, writes: ReadonlySet<string>): readonly Line[] {
  if (stored.message.role !== "assistant") return noLines;
  const known = knownLines.get(stored);
  if (known) return known;
  const calls = toolCallsOf(stored).filter(({ tool }) => writes.has(tool));
  const lines = calls.flatMap(({ tool, input }) =>
    textsIn(input)
      .flatMap((text) => text.split("\n"))
      .filter((text) => text.trim() !== "")
      .map((text) => ({ text, tool, ...marksOf(text) })),
  );
  knownLines.set(stored, lines);
  return lines;
}

function marksOfResult(result: WorkedResult): Marks {
  const known = knownMarks.get(result);
  if (known) return known;
  const [text, call] = [marksOf(result.text), marksOf(textsIn(result.input).join("\n"))];
  const marks = {
    names: text.names.union(call.names),
    symbols: text.symbols.union(call.symbols),
    numbers: text.numbers,
  };
  knownMarks.set(result, marks);
  return marks;
}

/** Names in code: camelCase, PascalCase with two humps, snake_case, CONSTANTS. */
const symbolPattern = /\b(?:[a-z][a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Za-z][A-Za-z0-9]*_\w+)\b/g;

/** The outcome of a run: "12 passed", "3 failing". */
const outcomePattern = /\b\d+ (?:pass|fail|error|test)\w*/gi;

/** Of a longer text only the newest part is searched. */
const maxSearched = 200_000;

/** Words that may be names; a longer one is base64 or minified code. */
const wordPattern = /[^\s"'`<>()[\]{},;]{2,300}/g;

/** URLs and paths, names of files, ids of issues and commits. */
const namePatterns = [
  /[/\\]\w/,
  /\.[A-Za-z]{1,5}$/,
  /^#\d+$/,
  /^[A-Z][A-Z0-9]{0,9}-\d+$/,
  /^(?=[a-f]{0,40}\d)[0-9a-f]{7,40}$/,
];

function namesIn(text: string): string[] {
  return (
    (text.match(wordPattern) ?? [])
      .map((word) => dropTrailing(word, ".:").replace(/:\d{1,9}(?:-\d{1,9})?$/, ""))
      .filter((word) => namePatterns.some((pattern) => pattern.test(word)))
      // People write the file's name without its folders.
      .flatMap((name) => [name, ...(/(?<![\w-])[\w-]{1,80}\.\w{1,5}$/.exec(name) ?? [])])
  );
}

/** Numbers that say something: with a unit or a separator, or of three digits and more. */
const numberPattern = /(?<![\w.])[$€£]?\d[\d,]*(?:\.\d+)?(?:\s?%|[kKmMbB]\b)?(?!\w)/g;

function marksOf(text: string): Marks {
  const searched = text.slice(-maxSearched);
  const names = namesIn(searched);
  const outcomes = (searched.match(outcomePattern) ?? []).map((outcome) => outcome.toLowerCase());
  const numbers = (searched.match(numberPattern) ?? []).filter(
    (number) => number.length >= 3 || /[$€£%.,kKmMbB]/.test(number),
  );
  return {
    names: new Set([...names, ...outcomes]),
    symbols: new Set(searched.match(symbolPattern) ?? []),
    numbers: new Set(numbers),
  };
}
