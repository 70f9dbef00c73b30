import type { SurfaceView } from "../surface.ts";

/** Tagged notes. They have no block: they cost no tokens until the agent reads them. */
export const notesView: SurfaceView = {
  name: "notes",
  isEmpty: ({ row }) => row.counters.notes === 0,
};
