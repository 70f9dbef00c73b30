import type { Memory } from "../sessions/memory.ts";
import { findExistingWorkspace } from "./existing-workspace.ts";
import { openHookMemory } from "./hook-memory.ts";
import { limitsOf, retentionOf } from "./library-options.ts";
import type { FindWorkspaceOptions } from "./workspace.ts";

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
