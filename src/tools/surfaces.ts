import { HoldfastError } from "../errors.ts";
import type { Surface } from "./define-tool.ts";
import { knowledgeSurface } from "./knowledge.ts";
import { notepadSurface } from "./notepad.ts";
import { notesSurface } from "./notes.ts";
import { resultsSurface } from "./results.ts";
import { scratchpadSurface } from "./scratchpad.ts";
import { sessionsSurface } from "./sessions.ts";
import { tasksSurface } from "./tasks.ts";

const surfaces: Record<SurfaceName, () => Surface> = {
  notepad: () => notepadSurface,
  notes: () => notesSurface,
  scratchpad: () => scratchpadSurface,
  tasks: () => tasksSurface,
  results: () => resultsSurface,
  sessions: () => sessionsSurface,
  knowledge: () => knowledgeSurface(),
};

export type SurfaceName = "notepad" | "notes" | "scratchpad" | "tasks" | "results" | "sessions" | "knowledge";

export const surfaceNames = Object.keys(surfaces) as readonly SurfaceName[];

/** Surfaces by name; one that is given whole is taken as it is. */
export function findSurfaces(chosen: readonly (string | Surface)[]): Surface[] {
  return [...new Set(chosen)].map((name) => {
    if (typeof name !== "string") return name;
    if (Object.hasOwn(surfaces, name)) return surfaces[name as SurfaceName]();
    throw new HoldfastError(
      "unknown_surface",
      `There is no surface called ${JSON.stringify(name)}. The surfaces are: ${surfaceNames.join(", ")}.`,
      { data: { surface: name } },
    );
  });
}
