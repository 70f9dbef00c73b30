import { basename } from "node:path";
import { openMemory } from "../index.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Surface } from "../surfaces/surface.ts";
import { surfaceNames } from "../surfaces/surfaces.ts";
import { limitsOf, retentionOf, secretsOf, settingValue } from "./config.ts";
import { requireValid } from "./config-file.ts";
import { prepareProjectStore } from "./project.ts";
import {
  type FindWorkspaceOptions,
  findExistingWorkspace,
  findWorkspace,
  type Workspace,
} from "./workspace.ts";

export interface OpenOptions {
  /** Default: every surface that needs no configuration. */
  surfaces?: readonly Surface[] | undefined;
  /** Receives warnings about the store. Default: `console.warn`. */
  onWarning?: (warning: string) => void;
  /** An agent, a host or a browser waits: `interactiveLockTimeout` is the limit for another process's lock, not a minute. */
  isInteractive?: boolean | undefined;
}

/** Opens the memory of a workspace, creating it if there is none. The caller reports problems of its config. */
export async function openMemoryIn(
  { project, config, store }: Workspace,
  { surfaces, onWarning = console.warn, isInteractive = false }: OpenOptions = {},
): Promise<Memory> {
  prepareProjectStore(project, store.file);
  const lockTimeout = isInteractive ? settingValue(config, "interactiveLockTimeout") : undefined;
  return openMemory({
    store: store.url,
    project: basename(project.directory),
    surfaces: surfaces ?? surfaceNames,
    limits: limitsOf(config),
    secrets: secretsOf(config),
    handoff: settingValue(config, "handoff"),
    retention: retentionOf(config),
    onWarning,
    ...(lockTimeout === undefined ? {} : { lockTimeout }),
  });
}

/** Finds the workspace and opens its memory, creating it if there is none. Throws on a bad config. */
export async function openWorkspaceMemory(options: FindWorkspaceOptions & OpenOptions = {}): Promise<Memory> {
  const workspace = findWorkspace(options);
  await requireValid(workspace.config);
  return openMemoryIn(workspace, options);
}

/** As `openWorkspaceMemory`, for a command that needs an existing memory; never creates an empty store. */
export async function openExistingMemory(options: FindWorkspaceOptions & OpenOptions = {}): Promise<Memory> {
  return openMemoryIn(await findExistingWorkspace(options), options);
}
