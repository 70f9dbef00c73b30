import { fenceLine } from "../context/fence.ts";
import type { CheckpointMemory, CommandFact, FileFact } from "../engine/records.ts";
import { oneLine } from "../engine/text.ts";
import type { CheckpointBudget, Measure } from "./budget.ts";
import { measureFor } from "./budget.ts";
import { isRoutine } from "./facts/commands.ts";
import { type Candidate, orderByNeed } from "./need/choose.ts";
import { namesCovered } from "./need/cover.ts";
import type { Sighting } from "./need/gather.ts";
import type { NameKind } from "./need/names.ts";

/** What a checkpoint has to say. Lists are newest first. */
export interface CheckpointFacts
  extends Pick<CheckpointMemory, "files" | "commands" | "decisions" | "running"> {
  openAsks: readonly string[];
  openTasks: readonly string[];
  planOpen: readonly string[];
  planClosed: readonly string[];
  /** Which of the files that the agent has read are the same still, and which are not. */
  unchanged: readonly string[];
  changed: readonly string[];
  /** Names that are not in the kept context, and how likely each is needed. */
  sightings: readonly Sighting[];
  scores: ReadonlyMap<string, number>;
  /** Tool calls so far. */
  calls: number;
}

const headings = {
  asks: "Asked and not answered yet",
  running: "Still running",
  tasks: "Open tasks",
  planOpen: "Still to do",
  planClosed: "Done or cancelled, do not redo",
  decisions: "Decided or found",
  commands: "Commands run here",
  failures: "Commands that failed",
  created: "Files created",
  edited: "Files edited",
  read: "Files read",
  missed: "Files that could not be read or changed",
  changed: "Changed on disk since you read them",
  unchanged: "Same on disk as when you read them",
  paths: "Other paths",
  symbols: "Symbols",
  flags: "Flags",
  addresses: "Addresses",
  ids: "Ids, versions and numbers",
  others: "Other names",
} as const;

type Section = keyof typeof headings;

interface Item extends Candidate {
  section: Section;
  text: string;
  /** For a symbol: the file it belongs to. */
  home?: string;
}

const open = "[Checkpoint, written down before the conversation was compacted]";
const close = "[End of checkpoint]";

/** Says as much as the budget allows, most needed first, each fact under its role. */
export function renderCheckpoint(
  facts: CheckpointFacts,
  budget: CheckpointBudget,
  countTokens: (text: string) => number,
): string {
  const measure = measureFor(budget, countTokens);
  const first = statedItems(facts, measure);
  const told = new Set(first.flatMap(({ names }) => names));
  const items = [...first, ...orderByNeed(candidatesOf(facts, measure), facts.scores, told)];
  if (items.length === 0) return `${open}\nNothing to carry over.\n${close}`;
  return layOut(fill(items, measure));
}

/** The longest beginning of the list that fits, and after it whatever is small enough. */
function fill(items: readonly Item[], { fits }: Measure): Item[] {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(layOut(items.slice(0, middle)))) low = middle;
    else high = middle - 1;
  }
  const chosen = items.slice(0, low);
  let misses = 0;
  for (const item of items.slice(low + 1)) {
    if (misses === maxMisses) break;
    if (fits(layOut([...chosen, item]))) chosen.push(item);
    else misses++;
  }
  return chosen;
}

/** How many items may fail to fit before the text counts as full. */
const maxMisses = 12;

function layOut(items: readonly Item[]): string {
  const sections = Map.groupBy(items, ({ section }) => section);
  const symbols = Map.groupBy(sections.get("symbols") ?? [], ({ home = "" }) => home);
  const lines: string[] = [];
  for (const name of Object.keys(headings) as Section[]) {
    const listed = sections.get(name) ?? [];
    const texts = fileSections.has(name)
      ? listed.map(({ text, home = "" }) => withSymbols(text, take(symbols, home)))
      : listed.map(({ text }) => text);
    const shown = name === "symbols" ? [...symbols.values()].flat().map(({ text }) => text) : texts;
    if (shown.length > 0) lines.push(`${headings[name]}: ${shown.join(plainNames.has(name) ? " " : "; ")}`);
  }
  return [open, ...lines, close].join("\n");
}

const fileSections: ReadonlySet<Section> = new Set(["created", "edited", "read"]);

/** Sections of single names, which contain no spaces. */
const plainNames: ReadonlySet<Section> = new Set(["paths", "symbols", "flags", "addresses", "ids", "others"]);

function take(symbols: Map<string, Item[]>, home: string): readonly Item[] {
  const found = symbols.get(home) ?? [];
  symbols.delete(home);
  return found;
}

function withSymbols(file: string, symbols: readonly Item[]): string {
  return symbols.length === 0 ? file : `${file} (${symbols.map(({ text }) => text).join(" ")})`;
}

/** Share of the budget for each kind of statement, and the lengths at which one may be cut. */
const shares: [section: Section, share: number, lengths: readonly number[]][] = [
  ["asks", 0.18, [1_200, 600, 300, 150, 60, 24, 8]],
  ["running", 0.05, [160, 60]],
  ["tasks", 0.04, [160, 40]],
  ["planOpen", 0.06, [160, 40, 16, 8]],
  ["planClosed", 0.05, [160, 40]],
  ["changed", 0.04, [200]],
  ["decisions", 0.04, [220]],
  ["failures", 0.05, [300, 120, 40, 20, 8]],
  ["commands", 0.08, [400]],
];

/** What is said whatever the scores: asks, running work, the plan. */
function statedItems(facts: CheckpointFacts, { cost, total }: Measure): Item[] {
  const texts: Partial<Record<Section, readonly string[]>> = {
    asks: facts.openAsks,
    running: facts.running,
    tasks: facts.openTasks,
    planOpen: facts.planOpen,
    planClosed: facts.planClosed,
    changed: facts.changed,
    decisions: facts.decisions,
    failures: failureTexts(facts),
    commands: commandTexts(facts),
  };
  return shares.flatMap(([section, share, lengths]) => {
    // In a small budget a share may be too small for a single fact.
    let left = Math.max(total * share, Math.min(floor, total / 10)) - cost(`${headings[section]}: \n`);
    return (texts[section] ?? []).slice(0, maxListed).flatMap((fact, index, { length }): Item[] => {
      // No fact takes more than two thirds of what is left, unless it is the last.
      const room = index === length - 1 ? left : (left * 2) / 3;
      const text = lengths.map((limit) => fenceLine(fact, limit)).find((cut) => cost(`${cut}; `) <= room);
      if (text === undefined) return [];
      left -= cost(`${text}; `);
      return [{ section, text, names: namesCovered(text, facts.scores), worth: 0, cost: 0 }];
    });
  });
}

/** More would not fit, and trying them is slow. */
const maxListed = 40;

/** What each kind of statement gets at least, if the budget is not much smaller. */
const floor = 50;

/** Names that are hardly ever needed are not worth a look. */
const maxNames = 900;

function candidatesOf(facts: CheckpointFacts, measure: Measure): Item[] {
  const { scores } = facts;
  const item = (section: Section, text: string, worth: number, home?: string): Item => ({
    section,
    text,
    worth,
    names: namesCovered(text, scores),
    cost: measure.cost(`${text}${plainNames.has(section) ? " " : "; "}`),
    ...(home === undefined ? {} : { home }),
  });
  const files = facts.files.map((file) => ({ file, text: fileText(file) }));
  const paths = new Set(facts.files.map(({ path }) => path));
  return [
    ...files.map(({ file, text }) =>
      item(fileSection(file), text, 0.1 * freshness(file.last, facts), file.path),
    ),
    ...bestNames(facts)
      .filter(({ text }) => !paths.has(text))
      .map(({ text, kind, home }) => item(nameSection[kind], fenceLine(text), 0, home)),
  ];
}

function bestNames({ sightings, scores }: CheckpointFacts): Sighting[] {
  const score = ({ text }: Sighting) => scores.get(text) ?? 0;
  return sightings.toSorted((a, b) => score(b) - score(a) || (a.text < b.text ? -1 : 1)).slice(0, maxNames);
}

/** 1 for now, falling to a third after thirty calls. */
function freshness(last: number, { calls }: CheckpointFacts): number {
  return Math.exp(-(calls - last) / 30);
}

function fileText({ path, lines }: FileFact): string {
  return fenceLine(lines === "" ? path : `${path}:${lines}`);
}

function fileSection({ done }: FileFact): Section {
  return done === "failed" ? "missed" : done;
}

/** The commands whose last run failed, newest first. */
function failureTexts({ commands }: CheckpointFacts): string[] {
  return commands
    .filter(({ failure }) => failure !== "")
    .map(({ line, failure }) => `${oneLine(line, 160)} (${oneLine(failure, 130)})`);
}

/** Longer ones are scripts, written for one use. */
const maxCommand = 400;

/** The commands that build, test, run or deploy here, and others that were typed again; the likeliest next one first. */
function commandTexts(facts: CheckpointFacts): string[] {
  const worth = ({ line, runs, last }: CommandFact) =>
    ((isRoutine(line) ? 1 : 0) + Math.min(runs - 1, 8) / 2) * freshness(last, facts);
  const isWorthKeeping = (command: CommandFact) =>
    command.isCommand &&
    command.failure === "" &&
    command.line.length <= maxCommand &&
    !command.line.includes("<<") &&
    worth(command) > 0;
  return facts.commands
    .filter(isWorthKeeping)
    .toSorted((a, b) => worth(b) - worth(a) || b.last - a.last)
    .map(({ line, runs }) => `${oneLine(line)} (ok${runs > 1 ? `, ${runs} runs` : ""})`);
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
