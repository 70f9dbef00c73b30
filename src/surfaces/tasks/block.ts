import type { SurfaceView } from "../surface.ts";
import { readOutcomes, readTasks } from "./operations.ts";

/** Pieces of work that collapse to one line when they end. Without a conversation to collapse, the block has the lines. */
export const tasksView: SurfaceView = {
  name: "tasks",
  block: (state) => {
    const open = readTasks(state).map(
      ([, { description, depth }]) => `${"  ".repeat(depth - 1)}- ${description}`,
    );
    const ended = readOutcomes(state).map(([, { text }]) => text);
    const parts = [
      ...(ended.length === 0 ? [] : [`[Ended tasks]\n${ended.join("\n")}\n[End of ended tasks]`]),
      ...(open.length === 0 ? [] : [`[Open tasks]\n${open.join("\n")}\n[End of open tasks]`]),
    ];
    return parts.length === 0 ? undefined : { placement: "message", text: parts.join("\n\n") };
  },
};
