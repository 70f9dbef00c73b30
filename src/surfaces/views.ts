import type { ShownBlock } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { notepadView } from "./notepad/block.ts";
import { notesView } from "./notes/block.ts";
import { pinsView } from "./pins/block.ts";
import { listPins } from "./pins/operations.ts";
import { scratchpadView } from "./scratchpad/block.ts";
import type { SurfaceView } from "./surface.ts";

/** The surfaces an agent writes to, without their tools, so that a hook can load them. */
const writtenViews: readonly SurfaceView[] = [notepadView, scratchpadView, notesView];

/** The texts that a host with its own conversation shows. */
export function blocksToShow(state: State): ShownBlock[] {
  return [pinsView, ...writtenViews].flatMap(({ name, block }) => {
    const text = block?.(state)?.text;
    return text === undefined ? [] : [{ surface: name, text }];
  });
}

/** Whether there is nothing to show: nothing written, and nothing pinned. */
export function isNothingKept(state: State, isShown?: (surface: string) => boolean): boolean {
  return isMemoryEmpty(state, isShown) && listPins(state).length === 0;
}

/** Whether the agent has written nothing yet to the surfaces that it gets (default: to any). */
export function isMemoryEmpty(state: State, isShown: (surface: string) => boolean = () => true): boolean {
  return writtenViews.every(({ name, isEmpty }) => !isShown(name) || (isEmpty?.(state) ?? true));
}
