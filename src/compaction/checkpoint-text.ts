import { fenceLine } from "../context/fence.ts";
import type { CheckpointMemory, CommandFact, FileFact } from "../engine/records.ts";
import { dropTrailing, oneLine } from "../engine/text.ts";
import type { CheckpointBudget, Measure } from "./budget.ts";
import { isSmallBudget, measureFor, smallBudget } from "./budget.ts";
import {
  fill,
  framed,
  headings,
  type Item,
  layOut,
  plainNames,
  type Section,
  topUp,
  withoutRepeats,
} from "./checkpoint-layout.ts";
import { commandWorth, freshness, withLineEnds } from "./facts/commands.ts";
import { orderByNeed } from "./need/choose.ts";
import { namesCovered, partsCovered } from "./need/cover.ts";
import type { Sighting } from "./need/gather.ts";
import type { NameKind } from "./need/name-kinds.ts";

/** What a checkpoint has to say. Lists are newest first. */
export interface CheckpointFacts
  extends Pick<CheckpointMemory, "files" | "commands" | "decisions" | "running"> {
  openAsks: readonly string[];
  openTasks: readonly string[];
  planOpen: readonly string[];
  planClosed: readonly string[];
  /** Which of the files that the agent has read are the same still, and which are not. */
  unchanged: ReadonlySet<string>;
  changed: ReadonlySet<string>;
  /** The most needed names that are not in the kept context, and how likely each of those names is needed. */
  sightings: readonly Sighting[];
  scores: ReadonlyMap<string, number>;
  /** Tool calls so far. */
  calls: number;
}

/** Says as much as the budget allows, most needed first, each fact under its role. */
export function renderCheckpoint(
  facts: CheckpointFacts,
  budget: CheckpointBudget,
  countTokens: (text: string) => number,
): string {
  const measure = measureFor(budget, countTokens);
  const names = candidatesOf(facts, measure);
  const withNames = (stated: readonly Item[]) => {
    const told = new Set(stated.flatMap((item) => item.names));
    return [...stated, ...orderByNeed(names, facts.scores, told)];
  };
  const items = withNames(statedItems(facts, measure, 1));
  if (items.length === 0) return framed(["Nothing to carry over."]);
  const chosen = fill(items, measure);
  const text = layOut(chosen);
  if (measure.cost(text) > measure.total * fullEnough) return text;
  // All names fit: what they leave is for statements that were cut or left out.
  const roomy = {
    ...measure,
    total: measure.total * piecemeal,
    tokens: Math.max(measure.tokens, smallBudget),
  };
  const all = isSmallBudget(measure) ? { ...facts, decisions: tellingFirst(facts) } : facts;
  const more = [16, 4, 2].map((generosity) => statedItems(all, roomy, generosity));
  const wholes = more.map((stated) => withoutRepeats(withNames(stated)));
  const whole = wholes.find((each) => measure.cost(layOut(each)) <= measure.total) ?? chosen;
  return layOut(more.reduce((filled, stated) => topUp(filled, stated, measure), whole));
}

/** Statements seem to take up to this much more one by one, because each is rounded up. */
const piecemeal = 1.3;

/** A text that takes more of its budget has no room for more statements. */
const fullEnough = 0.97;

/**
 * Share of the budget for each kind of statement, most important first, and the lengths at which one may be cut.
 */
const shares: [section: Section, share: { small: number; large: number }, lengths: readonly number[]][] = [
  ["asks", { small: 0.07, large: 0.14 }, [1_200, 600, 300, 150, 60, 30]],
  ["failures", { small: 0.025, large: 0.05 }, [300, 160, 80, 60]],
  ["planOpen", { small: 0.03, large: 0.06 }, [160, 60, 40, 20]],
  ["running", { small: 0.025, large: 0.05 }, [160, 60]],
  ["commands", { small: 0.04, large: 0.08 }, [400]],
  ["tasks", { small: 0.02, large: 0.04 }, [160, 60]],
  ["planClosed", { small: 0.025, large: 0.05 }, [160, 60]],
  ["decisions", { small: 0.02, large: 0.04 }, [220]],
];

/** What all statements together may take: names are worth more of a small budget. */
const statedShare = { small: 0.19, large: 0.65 };

/** A share of a small budget may be too small for a single fact; then it gets as much as this. */
const smallestShare = 1 / 15;
const leastTokens = 30;

/** More would not fit, and trying them is slow. A small budget has room for one of each kind, and for the asks. */
const maxListed = 80;

/**
 * What is said whatever the scores: asks, failures, the plan, running work. Where `generosity` is greater than 1, shares are
 * that much larger.
 */
function statedItems(facts: CheckpointFacts, measure: Measure, generosity: number): Item[] {
  const { cost, added, total, tokens } = measure;
  const isSmall = isSmallBudget(measure);
  const texts: Partial<Record<Section, readonly (string | Failure)[]>> = {
    asks: facts.openAsks,
    failures: failuresOf(facts),
    planOpen: facts.planOpen,
    running: facts.running,
    commands: commandTexts(facts),
    tasks: facts.openTasks,
    planClosed: facts.planClosed,
    decisions: isSmall ? mostTelling(facts.decisions, facts.scores) : facts.decisions,
  };
  const size = isSmall ? "small" : "large";
  let left = total * Math.min(1, generosity * statedShare[size]);
  return shares.flatMap(([section, share, lengths]) => {
    const least = Math.min(smallestShare, leastTokens / tokens);
    const room = Math.min(left, generosity * total * Math.max(share[size], least));
    const isOnlyOne = isSmall && generosity === 1 && section !== "asks";
    const listed = (texts[section] ?? []).slice(0, maxListed);
    const { items, used } = cutToFit(section, listed, lengths, room, cost, isOnlyOne ? 1 : maxListed);
    left -= used;
    return items.map(
      ({ text, index }): Item => ({
        section,
        text,
        place: index,
        names: namesCovered(text, facts.scores),
        worth: 0,
        cost: added(`${text}; `),
      }),
    );
  });
}

/** In a small budget there is room for one decision: the one that is about what is needed, in the fewest words. */
function mostTelling(decisions: readonly string[], scores: ReadonlyMap<string, number>): string[] {
  return decisions
    .map((text) => {
      const needed = namesCovered(text, scores).reduce((sum, name) => sum + (scores.get(name) ?? 0), 0);
      return { text, value: needed / text.length };
    })
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value)
    .map(({ text }) => text);
}

function tellingFirst({ decisions, scores }: CheckpointFacts): string[] {
  return [...new Set([...mostTelling(decisions, scores), ...decisions])];
}

function cutToFit(
  section: Section,
  facts: readonly (string | Failure)[],
  lengths: readonly number[],
  room: number,
  cost: Measure["cost"],
  max: number,
): { items: { text: string; index: number }[]; used: number } {
  const heading = cost(`${headings[section]}: \n`);
  const items: { text: string; index: number }[] = [];
  let left = room - heading;
  for (const [index, fact] of facts.entries()) {
    if (items.length === max) break;
    // No fact takes more than two thirds of what is left, unless it is the last.
    const most = index === facts.length - 1 ? left : (left * 2) / 3;
    const { line, failure = "" } = typeof fact === "string" ? { line: fact } : fact;
    const limits = [...lengths, ...(isDense(line) ? denseLengths : [])];
    const [longest = 0] = limits;
    const [start, end] = [fencedStart(line, longest), fencedStart(failure, longest)];
    const cuts = limits.map((limit) => (end === "" ? cutTo(start, limit) : cutFailure(start, end, limit)));
    const shortest = items.length === 0 ? cuts.at(-1) : undefined;
    const text = cuts.find((cut) => cost(`${cut}; `) <= most) ?? fitting(shortest, left, cost);
    if (text === undefined) continue;
    left -= cost(`${text}; `);
    items.push({ text, index });
  }
  return { items, used: items.length === 0 ? 0 : room - left };
}

/** Most of a long text would be read only to be cut; one character more than fits shows that it was. */
function fencedStart(text: string, longest: number): string {
  return fenceLine(oneLine(text.slice(0, 4 * longest)).slice(0, longest + 1));
}

function cutTo(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // A part of a path looks like another path.
  const space = text.lastIndexOf(" ", limit - 1);
  if (space > limit * leastWhole) return `${dropTrailing(text.slice(0, space), "… ")} …`;
  return `${dropTrailing(text.slice(0, limit).toWellFormed(), "… ")}…`;
}

/** A cut goes between two words if that leaves this much. */
const leastWhole = 0.6;

/** A command that failed says little without its error, so both are cut. */
function cutFailure(line: string, failure: string, limit: number): string {
  const room = limit - " ()".length;
  const reason = cutTo(failure, Math.max(room - line.length, Math.floor(room / 2)));
  return `${cutTo(line, Math.max(room - reason.length, 0))} (${reason})`;
}

/** Lengths for scripts that say much with few characters, and spend a token or more on each. */
const denseLengths = [24, 8];

function isDense(text: string): boolean {
  const beginning = text.slice(0, 60);
  // Most texts are plain, and the pattern below takes long to compile.
  if (/^\p{ASCII}*$/u.test(beginning)) return false;
  const foreign = beginning.match(/[^\p{ASCII}\p{Script=Latin}]/gu)?.length ?? 0;
  return foreign > [...beginning].length / 3;
}

/** The first fact, cut short, may take all of a small share. */
function fitting(text: string | undefined, room: number, cost: Measure["cost"]): string | undefined {
  return text !== undefined && cost(`${text}; `) <= room ? text : undefined;
}

/** What it is worth to say what was done to a file, beyond its name. */
const fileWorth = 0.05;

function candidatesOf(facts: CheckpointFacts, measure: Measure): Item[] {
  const { scores } = facts;
  const item = (section: Section, name: string, text: string, worth: number, home: string): Item => ({
    section,
    text,
    worth,
    names: partsCovered(name, scores),
    cost: measure.added(`${text}${plainNames.has(section) ? " " : "; "}`),
    home,
  });
  const files = facts.files.map((file) => ({ file, text: fileText(file) }));
  const paths = new Set(facts.files.map(({ path }) => path));
  return [
    ...files.map(({ file, text }) =>
      item(
        fileSection(file, facts),
        file.path,
        text,
        fileWorth * freshness(file.last, facts.calls),
        file.path,
      ),
    ),
    ...facts.sightings
      .filter(({ text }) => !paths.has(text))
      .map(({ text, kind, home }) => item(sectionOf(kind, measure), text, fenceName(text), 0, home)),
  ];
}

/** A name inside a line of ours can imitate a marker only with a bracket or a heading sign; most have neither. */
function fenceName(name: string): string {
  if (harmless.test(name)) return name;
  // A folder such as `app/[user]/page.tsx` is no marker, and a backslash would make it another path.
  const plain = name.replaceAll(/(?<=\/)\[[\w.-]{1,40}\](?=[/:]|$)/g, "x");
  if (harmless.test(plain)) return name;
  return fenceLine(plain) === plain ? name : fenceLine(name);
}

const harmless = /^[\w@%+=:,./~$ -]*$/;

function fileText({ path, lines }: FileFact): string {
  return fenceName(lines === "" ? path : `${path}:${lines}`);
}

function fileSection({ path, done }: FileFact, { unchanged, changed }: CheckpointFacts): Section {
  if (done === "failed") return "missed";
  if (done !== "read") return done;
  if (unchanged.has(path)) return "unchanged";
  return changed.has(path) ? "changed" : "read";
}

type Failure = Pick<CommandFact, "line" | "failure">;

/** The commands whose last run failed, newest first. */
function failuresOf({ commands }: CheckpointFacts): Failure[] {
  return commands
    .filter(({ failure }) => failure !== "")
    .map(({ line, failure }) => ({ line: oneLine(withLineEnds(line), 160), failure: oneLine(failure, 130) }));
}

/** The commands that build, test, run or deploy here, and others that were typed again; the likeliest next one first. */
function commandTexts({ commands, calls }: CheckpointFacts): string[] {
  return commands
    .filter(({ failure }) => failure === "")
    .map((command) => ({ command, worth: commandWorth(command, calls) }))
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth || b.command.last - a.command.last)
    .map(
      ({ command: { line, runs } }) =>
        `${oneLine(withLineEnds(line))} (ok${runs > 1 ? `, ${runs} runs` : ""})`,
    );
}

/** In a small budget, a heading for each kind of name costs more than it says. */
function sectionOf(kind: NameKind, measure: Measure): Section {
  const section = nameSection[kind];
  return isSmallBudget(measure) && section !== "symbols" ? "others" : section;
}

const nameSection: Record<NameKind, Section> = {
  path: "paths",
  pair: "others",
  file: "paths",
  url: "addresses",
  symbol: "symbols",
  dotted: "symbols",
  flag: "flags",
  hash: "ids",
  version: "ids",
  number: "ids",
  code: "ids",
  kebab: "others",
  mixed: "others",
};
