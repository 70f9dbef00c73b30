import { plainTextOf, type StoredMessage, textsIn, toolCallsOf } from "../../context/conversation.ts";
import { isWordlike, namesInRun, runsIn } from "./names.ts";

/** After this many calls, what the agent uses has little to do with what it knew before. */
const horizonCalls = 60;

/** Finds the names in a text. */
export type FindNames = (text: string) => Iterable<string>;

/**
 * Finds names as the checkpoint does; fast for many texts, because it knows the names it has seen. `certain`: without
 * those that may be ordinary words.
 */
export function nameFinder({ certain = false }: { certain?: boolean } = {}): FindNames {
  const known = new Map<string, readonly string[]>();
  const learn = (run: string) => {
    const names = namesInRun(run).filter(({ kind }) => !certain || !isWordlike(kind));
    const texts = names.map(({ text }) => text);
    known.set(run, texts);
    return texts;
  };
  return (text) => new Set(runsIn(text).flatMap((run) => known.get(run) ?? learn(run)));
}

export interface LaterUse {
  removed: readonly StoredMessage[];
  /** What stays in the context. */
  kept: readonly StoredMessage[];
  later: readonly StoredMessage[];
  find: FindNames;
}

/**
 * The names that the agent writes into its next calls, that it had seen in what was removed, and that nothing has told
 * it again since.
 */
export function findNeeded({ removed, kept, later, find }: LaterUse): Set<string> {
  const known = new Set(removed.flatMap(({ message }) => [...find(plainTextOf(message))]));
  const told = new Set(kept.flatMap(({ message }) => [...find(plainTextOf(message))]));
  const needed = new Set<string>();
  let calls = 0;
  for (const stored of later) {
    if (calls >= horizonCalls) break;
    for (const { input } of toolCallsOf(stored)) {
      calls++;
      for (const name of find(textsIn(input).join("\n")))
        if (known.has(name) && !told.has(name)) needed.add(name);
    }
    for (const name of find(plainTextOf(stored.message))) told.add(name);
  }
  return needed;
}
