import { runStory, type StoryResult } from "./run-story.ts";
import { makeStory } from "./stories.ts";
import { type StoryKind, storyKinds } from "./story.ts";
import { summarisers } from "./summarisers.ts";
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

/** Every run of the benchmark for a list of seeds. */
export function allCells(seeds: readonly number[]): Cell[] {
  return seeds.flatMap((seed) =>
    storyKinds.flatMap((kind) => {
      const cell = { kind, seed, window: mainWindow };
      const stories = [1, 3, 10].flatMap((compactions) =>
        // Ten compactions take most of the time, so they have the two summarisers that differ most.
        summarisers.slice(0, compactions === 10 ? 2 : undefined).map(({ name }) => ({
          ...cell,
          track: "stories" as const,
          summariser: name,
          compactions,
        })),
      );
      const notes = { ...cell, track: "notes" as const, summariser: "S0", compactions: 3 };
      const windows = otherWindows.map((window) => ({
        ...cell,
        window,
        track: "windows" as const,
        summariser: "S1",
        compactions: 1,
      }));
      return [...stories, notes, ...windows];
    }),
  );
}

export async function runCell(system: System, cell: Cell): Promise<CellResult> {
  const { kind, seed, compactions, window } = cell;
  const summariser = summarisers.find(({ name }) => name === cell.summariser);
  if (!summariser) throw new Error(`There is no summariser ${cell.summariser}.`);
  const story = makeStory({ kind, seed, compactions, window });
  const result = await runStory(system, story, {
    summariser,
    window,
    compactions,
    takesNotes: cell.track === "notes",
  });
  return { ...cell, ...result };
}
