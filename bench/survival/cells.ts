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

/**
 * `stories`: the agent writes nothing down. `notes`: it writes down what it is told, with the system's tool. `windows`:
 * the same stories in other windows.
 */
export type Track = "stories" | "notes" | "windows";

export interface CellResult extends Cell, StoryResult {}

const mainWindow = 16_000;
const otherWindows = [8_000, 32_000];

/** The runs of a list of seeds: everything with the first one; with the others, what shows how far seeds differ. */
export function allCells(seeds: readonly number[]): Cell[] {
  return seeds.flatMap((seed, index) =>
    storyKinds.flatMap((kind) => {
      const cell = { kind, seed, window: mainWindow };
      const stories = comparedCells(cell);
      return index === 0 ? [...stories, ...otherCells(cell)] : stories;
    }),
  );
}

type Told = Pick<Cell, "kind" | "seed" | "window">;

/** With every seed: one and three compactions, an empty summary and an extractive one. */
function comparedCells(cell: Told): Cell[] {
  return storyCells(cell, ["S0", "S1"], [1, 3]);
}

/** Whether every seed has such a run. */
export function isCompared({ track, compactions, summariser }: Cell): boolean {
  return track === "stories" && compactions <= 3 && ["S0", "S1"].includes(summariser);
}

function otherCells(cell: Told): Cell[] {
  const notes = { ...cell, track: "notes" as const, summariser: "S0", compactions: 3 };
  const windows = otherWindows.map((window) => ({
    ...cell,
    window,
    track: "windows" as const,
    summariser: "S1",
    compactions: 1,
  }));
  // Ten compactions take most of the time, so they have one summariser. By then S0 and S1 keep the same.
  return [...storyCells(cell, ["S3", "S4"], [1, 3]), ...storyCells(cell, ["S1"], [10]), notes, ...windows];
}

function storyCells(cell: Told, names: readonly string[], counts: readonly number[]): Cell[] {
  return counts.flatMap((compactions) =>
    names.map((summariser) => ({ ...cell, track: "stories" as const, summariser, compactions })),
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
