import type { Need, NeedPlace, PlacedNeed } from "../engine/records.ts";
import { oneLine } from "../engine/text.ts";
import { typedLineEnds } from "./facts/commands.ts";
import { containsWhole } from "./identifiers.ts";
import { namesCovered } from "./need/cover.ts";
import { containsCommand, containsWords } from "./need/whole-words.ts";

/** How the agent can get back what left the context: with a tool, from the host's transcript, or not at all. */
export type WayBack = "tool" | "transcript" | "none";

/**
 * Says where each need is after a compaction. One call away is only what something in the context names the exact call
 * for: the number of its message, or the path of a file that contains it. To find anything else the agent must know what
 * to search for.
 */
export function placeNeeds(needs: readonly Need[], context: string, wayBack: WayBack): PlacedNeed[] {
  const isThere = inContext(needs, context);
  const callFor = callsIn(needs, context, wayBack);
  return needs.map((need): PlacedNeed => {
    const { kind, text, likelihood } = need;
    const placed = { kind, text, likelihood };
    if (isThere(need)) return { ...placed, place: "in context" };
    const call = callFor(need);
    if (call !== undefined) return { ...placed, place: "one call", call };
    return { ...placed, place: wayBack === "none" ? "lost" : "by search" };
  });
}

/**
 * Tests whether a context tells a need: a name as a whole or inside a longer one, a command so that it can be copied,
 * anything else word for word.
 */
export function inContext(
  needs: readonly Pick<Need, "kind" | "text">[],
  context: string,
): (need: Pick<Need, "kind" | "text">) => boolean {
  const names = needs.filter(isName).map(({ text }): [string, number] => [text, 1]);
  const told = new Set(namesCovered(context, new Map(names)));
  const lines = withoutEscapes(typedLineEnds(context));
  const line = oneLine(lines);
  return (need) => {
    const { kind, text } = need;
    if (isName(need)) return told.has(text) || containsWhole(context, text);
    const words = oneLine(withoutEscapes(text));
    if (kind !== "command") return containsWords(line, words);
    // Where a line starts tells a command of one word from a word of a sentence.
    return containsCommand(words.includes(" ") ? line : lines, words);
  };
}

function isName({ kind }: Pick<Need, "kind">): boolean {
  return kind === "name" || kind === "file";
}

/** Without the backslashes that keep memory from imitating a marker. */
function withoutEscapes(text: string): string {
  return text.replaceAll("\\", "");
}

/**
 * What names a message for the tool recall: "recall with message 12", "see message 12", "(message 12)", and the id of a
 * cleared result: "r12_0". Not "error message 404", nor the ends of "messages 1 to 40".
 */
const messageReference =
  /(?:\b(?:recall(?: with)?|see|in|from) |[([])message (\d{1,12})\b(?! to \d)|(?:["'`]|\bid )r(\d{1,12})_\d{1,6}\b/gi;

function callsIn(
  needs: readonly Need[],
  context: string,
  wayBack: WayBack,
): (need: Need) => string | undefined {
  const references = wayBack === "tool" ? [...context.matchAll(messageReference)] : [];
  const messages = new Set(references.map(([, message, result]) => Number(message ?? result)));
  const homes = needs.flatMap(({ home }) =>
    home === undefined ? [] : [{ kind: "file" as const, text: home }],
  );
  const isShown = inContext(homes, context);
  return ({ message, home }) => {
    if (home !== undefined && isShown({ kind: "file", text: home })) return `read ${home}`;
    return message !== undefined && messages.has(message) ? `recall message ${message}` : undefined;
  };
}

/** How many needs of one kind are in each place. Names are counted by their predicted rank. */
export interface NeedCount {
  /** Such as "rules" or "names 1–25". */
  label: string;
  total: number;
  places: Record<NeedPlace, number>;
}

const labels: [kind: Need["kind"], label: string][] = [
  ["rule", "rules"],
  ["ask", "open asks"],
  ["command", "commands"],
  ["file", "files"],
];

/** The last rank of each group of names. */
const ranks = [25, 75, 150];

/** Counts needs by kind and place; kinds without any are left out. */
export function countNeeds(needs: readonly PlacedNeed[]): NeedCount[] {
  const names = needs.filter(({ kind }) => kind === "name");
  const groups = ranks.map((to, index): [string, readonly PlacedNeed[]] => {
    const from = ranks[index - 1] ?? 0;
    return [`names ${from + 1}–${Math.min(to, names.length)}`, names.slice(from, to)];
  });
  return [
    ...labels.map(([kind, label]): [string, readonly PlacedNeed[]] => [
      label,
      needs.filter((need) => need.kind === kind),
    ]),
    ...groups,
  ].flatMap(([label, items]) =>
    items.length === 0 ? [] : [{ label, total: items.length, places: countPlaces(items) }],
  );
}

/** How many needs are in each place. */
export function countPlaces(needs: readonly PlacedNeed[]): Record<NeedPlace, number> {
  const places: Record<NeedPlace, number> = { "in context": 0, "one call": 0, "by search": 0, lost: 0 };
  for (const { place } of needs) places[place]++;
  return places;
}
