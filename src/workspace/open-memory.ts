import { existsSync } from "node:fs";
import { HoldfastError } from "../errors.ts";
import { openMemory } from "../index.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Surface } from "../surfaces/surface.ts";
import { surfaceNames } from "../surfaces/surfaces.ts";
import { prepareProjectStore } from "./project.ts";
import { findWorkspace, type Workspace, type WorkspaceQuestion } from "./workspace.ts";

export interface OpenOptions extends WorkspaceQuestion {
  /** Default: every surface that needs nothing but its name. */
  surfaces?: readonly Surface[];
  /** Called with what the config or the store had wrong. Default: `console.warn`. */
  onWarning?: (warning: string) => void;
}

/** Opens the workspace's memory, and makes it where there is none. */
export async function openWorkspaceMemory(options: OpenOptions = {}): Promise<Memory> {
  return open(findWorkspace(options), options);
}

/** Opens the workspace's memory for a command that only looks: it never makes an empty one by the way. */
export async function openExistingMemory(options: OpenOptions = {}): Promise<Memory> {
  const workspace = findWorkspace(options);
  const { file, url } = workspace.store;
  if (file !== "" && !existsSync(file)) {
    throw new HoldfastError(
      "not_found",
      `There is no memory at ${file} yet. Run "holdfast init" in the project, or name one with --db or --store.`,
      { data: { store: url } },
    );
  }
  return open(workspace, options);
}

async function open(
  { project, config, store }: Workspace,
  { surfaces, onWarning = console.warn }: OpenOptions,
): Promise<Memory> {
  for (const problem of config.problems) onWarning(problem);
  prepareProjectStore(project, store.file);
  return openMemory({ store: store.url, surfaces: surfaces ?? surfaceNames, onWarning });
}
