import { join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { openMemory } from "../index.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Surface } from "../tools/define-tool.ts";
import { findSurfaces } from "../tools/surfaces.ts";
import { keepFailure } from "./failures.ts";
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

/** Says what failed, each thing once, and keeps it for `holdfast doctor`. Never throws. */
export function failureReporter(
  host: string,
  say: (line: string) => void = (line) => console.error(line),
): (event: string, error: unknown, cwd: string, tell?: (line: string) => void) => void {
  const said = new Set<string>();
  return (event, error, cwd, tell = say) => {
    const message = error instanceof Error ? error.message : String(error);
    const code = isHoldfastError(error) ? error.code : "internal";
    try {
      keepFailure(findProject(cwd).directory, { at: Date.now(), host, event, code, message });
      if (said.has(message)) return;
      said.add(message);
      tell(`holdfast: ${event}: ${message}`);
    } catch {
      // What cannot even be said must not stop the agent either.
    }
  };
}
