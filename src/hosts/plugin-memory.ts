import { join } from "node:path";
import { openMemory } from "../index.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Surface } from "../tools/define-tool.ts";
import { findSurfaces } from "../tools/surfaces.ts";
import { findProject, makeProjectDirectory } from "./project-directory.ts";

/** The surfaces of a plug-in that runs inside a host. */
export const pluginSurfaces: readonly Surface[] = findSurfaces(["notepad", "notes"]);

/** The project's memory, as the MCP server and the hooks have it. */
export async function openPluginMemory(cwd: string): Promise<Memory> {
  const { HOLDFAST_DB, HOLDFAST_STORE } = process.env;
  const chosen = HOLDFAST_DB || HOLDFAST_STORE;
  if (chosen) return openMemory({ store: chosen, surfaces: pluginSurfaces });
  const { directory } = findProject(cwd);
  makeProjectDirectory(directory);
  return openMemory({ store: join(directory, "memory.db"), surfaces: pluginSurfaces });
}
