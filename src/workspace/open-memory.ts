import { existsSync } from "node:fs";
import { HoldfastError } from "../errors.ts";
import { openMemory } from "../index.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Surface } from "../surfaces/surface.ts";
import { surfaceNames } from "../surfaces/surfaces.ts";
import { Outbox } from "./outbox.ts";
import { prepareProjectStore } from "./project.ts";
import { quarantined } from "./trust.ts";
import { type FindWorkspaceOptions, findWorkspace, problemsOf, type Workspace } from "./workspace.ts";

export interface OpenOptions extends FindWorkspaceOptions {
  /** Default: every surface that needs no configuration. */
  surfaces?: readonly Surface[];
  /** Receives warnings about the config and the store. Default: `console.warn`. */
  onWarning?: (warning: string) => void;
  /** Milliseconds to wait for another process's lock. Default: a minute, for commands that people run. */
  patience?: number | undefined;
}

/** For programs that an agent, a host or a browser waits for. */
export const interactivePatience = 2_000;

/** Opens the workspace's memory, creating it if there is none. */
export async function openWorkspaceMemory(options: OpenOptions = {}): Promise<Memory> {
  return open(findWorkspace(options), options);
}

/** Opens the workspace's memory for a command that needs an existing one; never creates an empty store. */
export async function openExistingMemory(options: OpenOptions = {}): Promise<Memory> {
  const workspace = findWorkspace(options);
  const { file, url } = workspace.store;
  if (file !== "" && !existsSync(file)) {
    if (workspace.project.quarantine) throw quarantined(workspace.project.quarantine);
    throw new HoldfastError(
      "not_found",
      `There is no memory at ${file} yet. Run "holdfast init" in the project, or choose a store with --db or --store.`,
      { data: { store: url } },
    );
  }
  return open(workspace, options);
}

async function open(
  { project, config, store }: Workspace,
  { surfaces, onWarning = console.warn, patience }: OpenOptions,
): Promise<Memory> {
  for (const problem of problemsOf({ project, config, store })) onWarning(problem);
  prepareProjectStore(project, store.file);
  const memory = await openMemory({
    store: store.url,
    surfaces: surfaces ?? surfaceNames,
    onWarning,
    ...(patience === undefined ? {} : { patience }),
  });
  const outbox = new Outbox({ project, store });
  // Calls that an earlier process kept while the store was locked.
  if (outbox.size > 0) await outbox.drain((session) => memory.openSession(session)).catch(() => false);
  return memory;
}
