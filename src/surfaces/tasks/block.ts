import type { SurfaceView } from "../surface.ts";
import { readTasks } from "./operations.ts";

/** Pieces of work that collapse to one line when they end. */
export const tasksView: SurfaceView = {
  name: "tasks",
  block: (state) => {
    const open = readTasks(state).map(
      ([, { description, depth }]) => `${"  ".repeat(depth - 1)}- ${description}`,
    );
    return open.length === 0
      ? undefined
      : { placement: "message", text: `[Open tasks]\n${open.join("\n")}\n[End of open tasks]` };
  },
};
