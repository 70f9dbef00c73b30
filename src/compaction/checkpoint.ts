import { plainTextOf, type StoredMessage } from "../context/conversation.ts";
import { readEpoch } from "../engine/conversation.ts";
import type { Checkpoint, CheckpointMemory, CommandFact, FileFact, Need } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { readTasks } from "../surfaces/tasks/operations.ts";
import { type CheckpointBudget, isSmallBudget, measureFor } from "./budget.ts";
import { renderCheckpoint } from "./checkpoint-text.ts";
import { commandOutcomes } from "./facts/commands.ts";
import { compareReads } from "./facts/compare-reads.ts";
import { touchedFiles } from "./facts/files.ts";
import { collapseTasks } from "./facts/finished-tasks.ts";
import type { FileNow } from "./facts/part-status.ts";
import { type PathKey, pathKey } from "./facts/path-key.ts";
import { closedUnseen, planItems } from "./facts/plan.ts";
import { readParts } from "./facts/reads.ts";
import { stillRunning } from "./facts/running.ts";
import { saidFacts } from "./facts/said.ts";
import { shortResults } from "./facts/short-results.ts";
import { openAsks, statedDecisions } from "./facts/statements.ts";
import { discountTail, isKept, type KeptMessages } from "./kept-messages.ts";
import { fromNameFact, gatherSightings, type Sighting, type Sightings, toNameFact } from "./need/gather.ts";
import { nameFinder } from "./need/later-use.ts";
import { listNeeds } from "./need/list-needs.ts";
import { mostNeeded, scoreNames } from "./need/score.ts";

export interface CheckpointInput extends KeptMessages {
  state: State;
  /** The messages since the last summary, in order. */
  messages: readonly StoredMessage[];
  /** The previous checkpoint; its facts compete with the new ones. */
  earlier?: Checkpoint | undefined;
  /** Default: for a window of 200,000 tokens. */
  budget?: CheckpointBudget | undefined;
  /** The files that the agent has read, as they are now, by `pathKey` of the folder. */
  contents?: ReadonlyMap<string, FileNow> | undefined;
  /** The folder against which the agent's paths resolve, if the driver knows it. */
  folder?: string | undefined;
  /** Tools whose results are not kept word for word; without it, nothing is. */
  wordsExcept?: ReadonlySet<string> | undefined;
  /** Weights of the scores (default: the fitted ones). */
  weights?: readonly number[] | undefined;
  countTokens: (text: string) => number;
}

/** Names that a checkpoint may say; others are hardly ever needed. */
const maxLikeliest = 600;

/** Names that a checkpoint remembers for the next one. */
const maxNames = 250;

/** Extracts, without a model, what the agent will need from the messages about to be removed. */
export function planCheckpoint(input: CheckpointInput): Checkpoint {
  return plan(input).checkpoint;
}

/** Plans a checkpoint, and lists what the agent is likely to need, whether or not the checkpoint has room for it. */
export function planWithNeeds(
  input: CheckpointInput,
  rules: readonly string[],
): { checkpoint: Checkpoint; needs: Need[] } {
  const { checkpoint, needsBeside } = plan(input);
  return { checkpoint, needs: needsBeside(rules) };
}

interface Plan {
  checkpoint: Checkpoint;
  /** What the agent is likely to need beside these rules. Only a receipt asks for it. */
  needsBeside(rules: readonly string[]): Need[];
}

function plan(input: CheckpointInput): Plan {
  const { state, to, earlier, budget = {}, contents = new Map(), countTokens } = input;
  const messages = collapseTasks(input.messages, to);
  const known = earlier?.memory ?? noMemory;
  const isAll = messages.every(({ number }) => number <= to);
  const removed = isAll ? messages : messages.filter(({ number }) => number <= to);
  const sightings = gatherSightings(messages, sightingsOf(known));
  const certain = isSmallBudget(measureFor(budget, countTokens));
  const scores = scoreNames(sightings, { using: input.weights, certain });
  const keyOf = pathKey(input.folder);
  const files = touchedFiles(removed, known.files, known.calls, keyOf);
  const told = namesKept(messages, input);
  const gone = withoutTold(sightings, scores, told);
  const spelledOnce = withoutSpellings(gone, files, keyOf);
  const items = planItems(
    state,
    input.messages,
    earlier && { open: earlier.planOpen, closed: earlier.planClosed },
  );
  const commands = commandOutcomes(removed, known.commands, known.calls);
  const facts = {
    openAsks: openAsks(messages, to, earlier?.openAsks),
    openTasks: readTasks(state).map(([, { description }]) => description),
    planOpen: items.open,
    planClosed: items.closed,
  };
  const reads = readParts(removed, known.reads, known.calls, keyOf);
  const decisions = statedDecisions(removed, known.decisions);
  const running = stillRunning(state, input.messages, known.running);
  const { calls } = sightings;
  const worth = input.mayKeepTail ? discountTail(scores, messages) : scores;
  const scoresGone = told.size === 0 ? worth : only(worth, gone);
  const likeliest = mostNeeded(spelledOnce, scoresGone, maxLikeliest);
  const text = renderCheckpoint(
    {
      ...facts,
      planClosed: closedUnseen(state, items.closed),
      ...compareReads(reads, files, contents, keyOf),
      commands,
      decisions,
      running,
      sightings: likeliest,
      scores: scoresGone,
      calls,
    },
    budget,
    countTokens,
  );
  const names = input.mayKeepTail ? mostNeeded(spelledOnce, scores, maxNames) : likeliest.slice(0, maxNames);
  // What stays now may go with the next compaction.
  const remembered = input.among
    ? mostNeeded(withoutTold(sightings, scores, namesKept(messages, { to })), scores, maxNames)
    : names;
  const needsBeside = (rules: readonly string[]) =>
    listNeeds({
      removed,
      rules,
      asks: facts.openAsks,
      commands,
      files,
      names,
      scores,
      calls,
      contents: textsBySpelling(contents, files, keyOf),
    });
  const checkpoint = {
    epoch: readEpoch(state).number,
    text,
    ...facts,
    filesRead: files.filter(({ done }) => done === "read").map(({ path }) => path),
    filesWritten: files.filter(({ done }) => done === "edited" || done === "created").map(({ path }) => path),
    failedCommands: commands.filter(({ failure }) => failure !== "").map(failedLine),
    identifiers: names.slice(0, 60).map(({ text: name }) => name),
    memory: {
      calls,
      names: remembered.map(toNameFact),
      files: files.slice(0, 100),
      commands: commands.slice(0, 40),
      decisions,
      running,
      reads,
      ...keptWords(input, removed, known),
    },
  };
  return { checkpoint, needsBeside };
}

function keptWords(
  { messages, to, wordsExcept }: CheckpointInput,
  removed: readonly StoredMessage[],
  { said, results }: CheckpointMemory,
): Pick<CheckpointMemory, "said" | "results"> {
  if (!wordsExcept) return {};
  return {
    said: saidFacts({ messages, to, earlier: said }),
    results: shortResults(removed, results, wordsExcept),
  };
}

function failedLine({ line, failure }: CommandFact): string {
  return `${line} (${failure})`;
}

const noMemory: CheckpointMemory = {
  calls: 0,
  names: [],
  files: [],
  commands: [],
  decisions: [],
  running: [],
  reads: [],
};

function sightingsOf({ names, calls }: CheckpointMemory): Sightings {
  return { names: new Map(names.map((fact) => [fact.text, fromNameFact(fact)])), calls };
}

/** The names in the context that stays. */
function namesKept(messages: readonly StoredMessage[], kept: KeptMessages): Set<string> {
  const find = nameFinder();
  const stays = messages.filter((stored) => isKept(kept, stored));
  return new Set(stays.flatMap(({ message }) => [...find(plainTextOf(message))]));
}

/** The scored names that are not told. */
function withoutTold(
  { names }: Sightings,
  scores: ReadonlyMap<string, number>,
  told: ReadonlySet<string>,
): Sighting[] {
  return [...names.values()].filter(({ text }) => scores.has(text) && !told.has(text));
}

function textsBySpelling(
  contents: ReadonlyMap<string, FileNow>,
  files: readonly FileFact[],
  keyOf: PathKey,
): Map<string, string> {
  const texts = new Map([...contents].map(([key, { text = "" }]) => [key, text]));
  for (const { path } of files) texts.set(path, texts.get(keyOf(path)) ?? "");
  return texts;
}

/** Without other spellings of the paths of files, which are listed already. */
function withoutSpellings(
  names: readonly Sighting[],
  files: readonly FileFact[],
  keyOf: PathKey,
): Sighting[] {
  const paths = new Map(files.map(({ path }) => [keyOf(path), path]));
  return names.filter(({ text, kind }) => {
    const path = kind === "path" || kind === "file" ? paths.get(keyOf(text)) : undefined;
    return path === undefined || path === text;
  });
}

function only(scores: ReadonlyMap<string, number>, sightings: readonly Sighting[]): Map<string, number> {
  const some = new Map<string, number>();
  for (const { text } of sightings) some.set(text, scores.get(text) ?? 0);
  return some;
}
