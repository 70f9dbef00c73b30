import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";
import type { CommandFact, FileFact, Need } from "../../engine/records.ts";
import { commandWorth } from "../facts/commands.ts";
import type { Sighting } from "./gather.ts";
import { containsName, containsWords } from "./whole-words.ts";

export interface NeedsInput {
  removed: readonly StoredMessage[];
  /** The user's rules, in the user's words. */
  rules: readonly string[];
  asks: readonly string[];
  commands: readonly CommandFact[];
  files: readonly FileFact[];
  /** The names that are not in the kept context, most likely needed first, and how likely each is needed. */
  names: readonly Sighting[];
  scores: ReadonlyMap<string, number>;
  /** Tool calls so far. */
  calls: number;
  /** The files that the agent has read, as they are now. */
  contents: ReadonlyMap<string, string>;
}

/** Max needs of each kind: beyond these, hardly any is used again. */
const max = { rule: 40, ask: 10, command: 30, file: 60, name: 150 } as const;

/** What the agent is likely to need of the messages that are removed, most likely first. */
export function listNeeds(input: NeedsInput): Need[] {
  const { rules, asks, commands, files, names, scores, calls } = input;
  const paths = new Set(files.map(({ path }) => path));
  const likelihood = (name: string) => scores.get(name) ?? 0;
  const needs = [
    ...rules.map((text) => need("rule", text, 1)),
    ...asks.map((text) => need("ask", text, 1)),
    ...commands
      .map((command) => need("command", command.line, Math.min(1, commandWorth(command, calls) / 2)))
      .filter((command) => command.likelihood > 0),
    ...files.filter(({ done }) => done !== "failed").map(({ path }) => need("file", path, likelihood(path))),
    ...names.filter(({ text }) => !paths.has(text)).map(({ text }) => need("name", text, likelihood(text))),
  ];
  const kinds = Object.keys(max) as (keyof typeof max)[];
  const counted = kinds.flatMap((kind) =>
    needs
      .filter((each) => each.kind === kind)
      .toSorted(byLikelihood)
      .slice(0, max[kind]),
  );
  return counted.toSorted(byLikelihood).map(placeIn(input));
}

function need(kind: Need["kind"], text: string, likelihood: number): Need {
  // Stores reject NUL and lone surrogates.
  const stored = text.replaceAll("\0", "\ufffd").toWellFormed();
  return { kind, text: stored, likelihood: Math.round(likelihood * 1_000) / 1_000 };
}

function byLikelihood(a: Need, b: Need): number {
  return b.likelihood - a.likelihood || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0);
}

/** A recalled message comes in pages; what is behind the first takes more than one call. */
const firstPage = 10_000;

/**
 * What one call shows of a file in every host: some stop after 2,000 lines or 40,000 characters, and some refuse to read
 * a file of more than 100,000 without being told which lines.
 */
const firstRead = { lines: 2_000, characters: 40_000, wholeFile: 100_000 };

/** Adds where each need can be read: the message that shows it on its first page, a file that shows it in one call. */
function placeIn({ removed, names, contents }: NeedsInput): (need: Need) => Need {
  const sightings = new Map(names.map((sighting) => [sighting.text, sighting]));
  const pages = new Map<number, string>();
  const shows = ({ number, message }: StoredMessage, { kind, text }: Need) => {
    const page = pages.get(number) ?? plainTextOf(message).slice(0, firstPage);
    pages.set(number, page);
    return kind === "name" || kind === "file" ? containsName(page, text) : containsWords(page, text);
  };
  const reads = new Map<string, string>();
  const firstReadOf = (path: string) => {
    const shown = reads.get(path) ?? shownByOneRead(contents.get(path) ?? "");
    reads.set(path, shown);
    return shown;
  };
  const lastThatShows = (need: Need) => {
    const sighting = sightings.get(need.text);
    if (!sighting && need.kind !== "name" && need.kind !== "file")
      return removed.findLast((stored) => stored.message.role !== "tool" && shows(stored, need));
    const seenIn = sighting && numbered(removed, sighting.seenIn);
    return seenIn && shows(seenIn, need) ? seenIn : undefined;
  };
  return (need) => {
    const home = sightings.get(need.text)?.home ?? "";
    const seenIn = lastThatShows(need);
    return {
      ...need,
      ...(seenIn ? { message: seenIn.number } : {}),
      ...(home !== "" && containsName(firstReadOf(home), need.text) ? { home } : {}),
    };
  };
}

/** The message with this number. */
function numbered(messages: readonly StoredMessage[], number: number): StoredMessage | undefined {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((messages[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return messages[low]?.number === number ? messages[low] : undefined;
}

/** The beginning of a file that a read without line numbers shows. */
function shownByOneRead(content: string): string {
  if (content.length > firstRead.wholeFile) return "";
  const start = content.slice(0, firstRead.characters);
  let end = 0;
  for (let line = 0; line < firstRead.lines; line++) {
    const newline = start.indexOf("\n", end);
    if (newline === -1) return start;
    end = newline + 1;
  }
  return start.slice(0, end);
}
