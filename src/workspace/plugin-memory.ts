import { existsSync } from "node:fs";
import { join } from "node:path";
import { openMemory } from "../index.ts";
import type { Memory } from "../sessions/memory.ts";
import { locateNotes } from "../surfaces/project/notes-md/file.ts";
import type { Surface } from "../surfaces/surface.ts";
import { findSurfaces } from "../surfaces/surfaces.ts";
import { findProject, makeProjectDirectory } from "./project.ts";

/** What every plug-in that runs inside a host offers. */
export const basicSurfaces: readonly Surface[] = findSurfaces(["notepad", "notes"]);

/** These, and the project's notes where it has some. */
export async function surfacesFor(cwd: string): Promise<readonly Surface[]> {
  const { root } = findProject(cwd);
  if (!existsSync(locateNotes(root).path)) return basicSurfaces;
  const { projectSurface } = await import("../surfaces/project/surface.ts");
  return [...basicSurfaces, projectSurface({ root })];
}

/** The project's memory, as the MCP server and the hooks have it. */
export async function openPluginMemory(cwd: string, surfaces = basicSurfaces): Promise<Memory> {
  const { HOLDFAST_DB, HOLDFAST_STORE } = process.env;
  const chosen = HOLDFAST_DB || HOLDFAST_STORE;
  if (chosen) return openMemory({ store: chosen, surfaces });
  const { directory } = findProject(cwd);
  makeProjectDirectory(directory);
  return openMemory({ store: join(directory, "memory.db"), surfaces });
}
