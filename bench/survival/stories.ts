import { seededRandom } from "../measure.ts";
import { fillerCode, fillerProse, pick, type Random } from "./filler.ts";
import { everyPlot, type Plot, plots, type Scene } from "./plots.ts";
import type { FileFact, Step, Story, StoryKind, StoryTurn } from "./story.ts";

export interface StoryOptions {
  kind: StoryKind | "every";
  seed: number;
  compactions: number;
  /** The model's window in tokens; an epoch of the story adds `epochShare` of it. */
  window: number;
}

/** The tokens of a window between two compactions: from about a quarter, which is kept, to four fifths. */
const epochShare = 0.55;
const turnsPerEpoch = 5;
const charactersPerToken = 4;

export function makeStory({ kind, seed, compactions, window }: StoryOptions): Story {
  const random = seededRandom(hash(`${kind} ${seed}`));
  const plot = kind === "every" ? everyPlot(random) : plots[kind](random);
  const files = new Map<string, string>();
  const room = (window * epochShare * charactersPerToken) / turnsPerEpoch;
  const configs = makeConfigs(random, files);
  let number = 0;
  const filler = (scene?: Scene, needs?: readonly FileFact[]): StoryTurn => {
    const path = `src/${pick(random, folders)}/part-${++number}.ts`;
    const code = fillerCode(random, room * 0.75);
    files.set(path, code);
    const read: Step = { tool: "view_file", input: { path }, result: code };
    const wish = `Task ${number}: look at ${path} and say what it does.`;
    return {
      user: !scene ? wish : random() < 0.5 ? `${scene.user}\n${wish}` : `${wish} ${scene.user}`,
      steps: [...(scene?.steps ?? []), read],
      answer: `${scene ? `${scene.answer} ` : ""}${fillerProse(random, Math.ceil((room * 0.2) / 75))}`,
      ...(scene?.note ? { note: scene.note } : {}),
      ...(needs ? { needs } : {}),
    };
  };
  const epochOf = (epoch: number): StoryTurn[] => {
    const scenes = plot.scenes.filter((scene) => Math.min(scene.epoch, compactions - 1) === epoch);
    const edits = scenes.filter(({ isEdit }) => isEdit);
    const told = scenes.filter(({ isEdit }) => !isEdit);
    const turns = Array.from({ length: turnsPerEpoch }, (_, index) =>
      filler(told[index], index === 0 && epoch > 0 ? configs : undefined),
    );
    if (epoch === 0) turns.splice(1, 0, readConfigs(configs, files));
    const changed = edits.map(({ user, answer, note }) => ({
      user,
      answer,
      steps: [],
      isEdit: true,
      ...(note ? { note } : {}),
    }));
    turns.splice(turnsPerEpoch - 1, 0, ...changed);
    return turns;
  };
  const turns = Array.from({ length: compactions }, (_, epoch) => epochOf(epoch)).flat();
  const story = { kind, seed, facts: plot.facts, files };
  const more = Array.from({ length: compactions * turnsPerEpoch }, () => filler());
  if (kind === "long ask") return { ...story, turns: [longTurn(plot, [...turns, ...more])], more: [] };
  return { ...story, turns, more };
}

/**
 * The first scene's request with the work of the whole story, so that every compaction comes before its answer. The
 * script ends it early, when there were enough of them.
 */
function longTurn({ scenes: [scene] }: Plot, turns: readonly StoryTurn[]): StoryTurn {
  if (!scene) throw new Error("A long ask needs a scene.");
  const { user, answer, note } = scene;
  return {
    user,
    answer,
    steps: turns.flatMap(({ steps, answer: says }) => steps.map((step) => ({ ...step, says }))),
    isProbed: true,
    ...(note ? { note } : {}),
  };
}

const folders = ["inbox", "outbox", "transport", "storage", "render", "export"];

/** Two files whose values the agent needs again in every epoch. */
function makeConfigs(random: Random, files: Map<string, string>): FileFact[] {
  return ["limits", "timeouts"].map((name) => {
    const path = `config/${name}.yaml`;
    const value = String(1_000 + Math.floor(random() * 9_000));
    const subject = `${name}_ceiling`;
    files.set(path, `# for all parts\n${subject}: ${value} # records in one pass\n`);
    return { id: path, path, subject, relation: ["records"], value };
  });
}

function readConfigs(configs: readonly FileFact[], files: ReadonlyMap<string, string>): StoryTurn {
  return {
    user: `Read ${configs.map(({ path }) => path).join(" and ")}; you need both values in every part.`,
    steps: configs.map(({ path }) => ({
      tool: "view_file",
      input: { path },
      result: files.get(path) ?? "",
    })),
    answer: "I have read both.",
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}
