import type { SurfaceView } from "../surface.ts";

/** Tagged notes that cost no tokens until they are asked for, so they have no block. */
export const notesView: SurfaceView = {
  name: "notes",
  isEmpty: ({ row }) => row.counters.notes === 0,
};
