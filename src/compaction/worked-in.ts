import { type StoredMessage, textsIn, toolCallsOf } from "../context/conversation.ts";
import { dropTrailing, oneLine } from "../engine/text.ts";

/** What identifies a text, by weight: a path, URL, id or command does; a symbol or a number alone hardly does. */
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
export interface Finding {
  text: string;
  tool: string;
}

/** This many shared symbols or numbers count as much as one shared name. */
const enoughWeak = 2;

export interface WorkedResult {
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
