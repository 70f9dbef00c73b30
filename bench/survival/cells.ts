import { killSummariser } from "./kills.ts";
import { inLanes } from "./lanes.ts";
import { runStory, type StoryResult } from "./run-story.ts";
import { makeStory } from "./stories.ts";
import { type StoryKind, storyKinds } from "./story.ts";
import { summariserNamed } from "./summarisers.ts";
import type { System } from "./system.ts";

/** One run: a story, told to one system. */
export interface Cell {
  track: Track;
  kind: StoryKind;
  summariser: string;
  compactions: number;
  window: number;
  seed: number;
}

/** `stories`: the agent writes nothing down. `notes`: it writes down what it is told, with the system's tool. */
export type Track = "stories" | "notes";

export interface CellResult extends Cell, StoryResult {}

const mainWindow = 16_000;
/** Every story with one, three and ten compactions: the runs that those with kills are compared with. */
export function allCells(seeds: readonly number[]): Cell[] {
  return seeds.flatMap((seed) =>
    storyKinds.flatMap((kind) =>
      [1, 3, 10].map((compactions) => ({
        kind,
        seed,
        compactions,
        window: mainWindow,
        track: "stories" as const,
        summariser: killSummariser,
      })),
    ),
  );
}

/** Systems wait at times, for example before they repeat a request; another run may go on meanwhile. */
const lanes = 3;

/** Runs the cells, some at a time; the results are in the order of the cells. */
export function runCells(system: System, cells: readonly Cell[]): Promise<CellResult[]> {
  return inLanes(cells, lanes, (cell) => runCell(system, cell));
}

export async function runCell(system: System, cell: Cell): Promise<CellResult> {
  const { kind, seed, compactions, window } = cell;
  const story = makeStory({ kind, seed, compactions, window });
  const result = await runStory(system, story, {
    summariser: summariserNamed(cell.summariser),
    window,
    compactions,
    takesNotes: cell.track === "notes",
  });
  return { ...cell, ...result };
}
