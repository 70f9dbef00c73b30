import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";
import type { CommandFact, FileFact, Need } from "../../engine/records.ts";
import { commandWorth } from "../facts/commands.ts";
import type { Sighting } from "./gather.ts";

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

/** Adds where each need can be read: the message that shows it on its first page, a file that contains it. */
function placeIn({ removed, names, contents }: NeedsInput): (need: Need) => Need {
  const messages = new Map(removed.map((stored) => [stored.number, stored]));
  const sightings = new Map(names.map((sighting) => [sighting.text, sighting]));
  const texts = new Map<number, string>();
  const shows = (number: number, text: string) => {
    const stored = messages.get(number);
    if (!stored) return false;
    const shown = texts.get(number) ?? plainTextOf(stored.message).slice(0, firstPage);
    texts.set(number, shown);
    return shown.includes(text);
  };
  const spoken = removed.filter(({ message }) => message.role !== "tool");
  return (need) => {
    const sighting = sightings.get(need.text);
    const seenIn = sighting
      ? sighting.seenIn
      : need.kind === "name" || need.kind === "file"
        ? 0
        : (spoken.findLast(({ number }) => shows(number, need.text))?.number ?? 0);
    const home = sighting?.home ?? "";
    return {
      ...need,
      ...(shows(seenIn, need.text) ? { message: seenIn } : {}),
      ...(home !== "" && contents.get(home)?.includes(need.text) ? { home } : {}),
    };
  };
}
