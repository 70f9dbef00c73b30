import { HoldfastError } from "../errors.ts";
import type { Surface } from "./define-tool.ts";
import { notepadSurface } from "./notepad.ts";
import { notesSurface } from "./notes.ts";
import { resultsSurface } from "./results.ts";
import { scratchpadSurface } from "./scratchpad.ts";
import { sessionsSurface } from "./sessions.ts";
import { tasksSurface } from "./tasks.ts";

const surfaces: Record<string, Surface> = {
  notepad: notepadSurface,
  notes: notesSurface,
  scratchpad: scratchpadSurface,
  tasks: tasksSurface,
  results: resultsSurface,
  sessions: sessionsSurface,
};

export type SurfaceName = "notepad" | "notes" | "scratchpad" | "tasks" | "results" | "sessions";

export const surfaceNames: readonly SurfaceName[] = [
  "notepad",
  "notes",
  "scratchpad",
  "tasks",
  "results",
  "sessions",
];

/** Surfaces by name; one that is given whole is taken as it is. */
export function findSurfaces(chosen: readonly (string | Surface)[]): Surface[] {
  return [...new Set(chosen)].map((name) => {
    if (typeof name !== "string") return name;
    const surface = Object.hasOwn(surfaces, name) ? surfaces[name] : undefined;
    if (surface) return surface;
    throw new HoldfastError(
      "unknown_surface",
      `There is no surface called ${JSON.stringify(name)}. The surfaces are: ${surfaceNames.join(", ")}.`,
      { data: { surface: name } },
    );
  });
}
