import { HoldfastError } from "../errors.ts";
import { knowledgeSurface } from "./knowledge/tools.ts";
import { notepadSurface } from "./notepad/tools.ts";
import { notesSurface } from "./notes/tools.ts";
import { pinsSurface } from "./pins/tools.ts";
import { recallSurface } from "./recall/tools.ts";
import { resultsSurface } from "./results/tools.ts";
import { scratchpadSurface } from "./scratchpad/tools.ts";
import { sessionsSurface } from "./sessions/tools.ts";
import type { Surface } from "./surface.ts";
import { tasksSurface } from "./tasks/tools.ts";

const surfaces: Record<SurfaceName, () => Surface> = {
  notepad: () => notepadSurface,
  notes: () => notesSurface,
  scratchpad: () => scratchpadSurface,
  tasks: () => tasksSurface,
  results: () => resultsSurface,
  recall: () => recallSurface,
  sessions: () => sessionsSurface,
  knowledge: () => knowledgeSurface(),
  pins: () => pinsSurface,
};

export type SurfaceName =
  | "notepad"
  | "notes"
  | "scratchpad"
  | "tasks"
  | "results"
  | "recall"
  | "sessions"
  | "knowledge"
  | "pins";

export const surfaceNames = Object.keys(surfaces) as readonly SurfaceName[];

/** The surfaces of an agent where nobody names them. A project with NOTES.md also gets `project`, except in a library. */
export const defaultSurfaces = {
  /** `openMemory` alone. */
  memory: ["notepad", "notes"],
  /** `createAgent` and `holdfast chat`. */
  agent: ["notepad", "notes", "tasks", "results", "recall", "sessions", "pins"],
  adapter: ["notepad", "notes", "tasks", "results", "recall", "pins"],
  /** The MCP server and hooks. */
  server: ["notepad", "pins", "recall"],
  /** The plugins of the agents that the scratchpad is from. */
  plugin: ["scratchpad", "pins", "recall"],
} as const satisfies Record<string, readonly SurfaceName[]>;

/** Surfaces that need options, so a name is not enough, and their factories. */
const imported: Record<string, string> = { project: "projectSurface", sandbox: "sandboxSurface" };

/** Looks up surfaces by name; surface objects pass through. */
export function findSurfaces(chosen: readonly (string | Surface)[]): Surface[] {
  return [...new Set(chosen)].map((name) => {
    if (typeof name !== "string") return name;
    if (Object.hasOwn(surfaces, name)) return surfaces[name as SurfaceName]();
    const factory = Object.hasOwn(imported, name) ? imported[name] : undefined;
    throw new HoldfastError(
      "unknown_surface",
      factory
        ? `The surface ${JSON.stringify(name)} needs options: import { ${factory} } from "holdfast/${name}" and pass ${factory}({ … }) instead of the name.`
        : `There is no surface called ${JSON.stringify(name)}. The surfaces are: ${surfaceNames.join(", ")}; ${Object.entries(
            imported,
          )
            .map(([each, made]) => `${each} (${made} from "holdfast/${each}")`)
            .join(" and ")} need options.`,
      { data: { surface: name } },
    );
  });
}
