import type { Memory } from "../../sessions/memory.ts";
import { inPlugin, type Surface } from "../../surfaces/surface.ts";
import { createToolbox, type ToolDescription } from "../../surfaces/toolbox.ts";
import { chosenSurfaces, loadSurfaces } from "../../workspace/chosen-surfaces.ts";
import { limitsOf, settingValue, type WorkspaceConfig } from "../../workspace/config.ts";
import { openMemoryIn } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import { findWorkspace } from "../../workspace/workspace.ts";

/** Settings of ours in the host's own config, and its name for them. */
export type HostSettings = { name: string; settings: Record<string, unknown> };

/** The memories of the projects that one host process works in. */
export class ProjectMemories {
  host: HostSettings | undefined;
  readonly #memories = new Map<string, Promise<Memory>>();
  readonly #open: typeof openProjectMemory;

  constructor(open: typeof openProjectMemory = openProjectMemory) {
    this.#open = open;
  }

  /** If opening fails, the next call tries again. */
  memory(cwd: string): Promise<Memory> {
    const { root } = findProject(cwd);
    const known = this.#memories.get(root);
    if (known) return known;
    const opened = this.#open(cwd, this.host);
    this.#memories.set(root, opened);
    opened.catch(() => this.#memories.delete(root));
    return opened;
  }

  async close(): Promise<void> {
    const open = [...this.#memories.values()];
    this.#memories.clear();
    for (const memory of await Promise.allSettled(open))
      if (memory.status === "fulfilled") await memory.value.close();
  }
}

async function openProjectMemory(cwd: string, host: HostSettings | undefined): Promise<Memory> {
  const workspace = findWorkspace({ cwd, ...(host ? { host } : {}) });
  const surfaces = await loadSurfaces(chosenSurfaces(workspace, "host"), workspace);
  return openMemoryIn(workspace, { surfaces, isInteractive: true });
}

/** The tools of surfaces, known before a session is open. */
export function describeTools(surfaces: readonly Surface[], config: WorkspaceConfig): ToolDescription[] {
  const presentation = inPlugin(settingValue(config, "placement"));
  return createToolbox(surfaces, { limits: limitsOf(config), countTokens: () => 0 }, presentation).describe();
}
