import { existsSync } from "node:fs";
import { HoldfastError } from "../errors.ts";
import type { Memory } from "../sessions/memory.ts";
import { limitsOf, retentionOf } from "./config.ts";
import { requireValid } from "./config-file.ts";
import { openHookMemory } from "./hook-memory.ts";
import { type FindWorkspaceOptions, findWorkspace, type Workspace } from "./workspace.ts";

/** As `openExistingMemory`, for a command that calls no tools: their schemas take longer to load than it runs. */
export async function openMemoryToRead(options: FindWorkspaceOptions): Promise<Memory> {
  const workspace = await findExistingWorkspace(options);
  const { project, config, store } = workspace;
  const memory = await openHookMemory(project, store, false, {
    secrets: config.values.secrets,
    retention: retentionOf(config),
    limits: limitsOf(config),
    onWarning: console.warn,
  });
  if (memory) return memory;
  return (await import("./open-memory.ts")).openMemoryIn(workspace);
}

/** The workspace of a command that needs an existing memory. Throws on a bad config, or if there is no store. */
export async function findExistingWorkspace(options: FindWorkspaceOptions): Promise<Workspace> {
  const workspace = findWorkspace(options);
  await requireValid(workspace.config);
  const { file, url } = workspace.store;
  if (file === "" || existsSync(file)) return workspace;
  throw new HoldfastError(
    "not_found",
    `There is no memory at ${file} yet. Run "holdfast init" in the project, or choose a store with --db or --store.`,
    { data: { store: url } },
  );
}
