import { HoldfastError } from "../errors.ts";
import { knowledgeSurface } from "../surfaces/knowledge/tools.ts";
import { hasNotes } from "../surfaces/project/location.ts";
import type { Surface } from "../surfaces/surface.ts";
import { defaultSurfaces, findSurfaces, surfaceNames } from "../surfaces/surfaces.ts";
import { projectOptionsOf, type WorkspaceConfig } from "./config.ts";
import type { Workspace } from "./workspace.ts";

/** The part of a workspace that decides on its surfaces. */
export type SurfaceWorkspace = Pick<Workspace, "project"> & { config: Pick<WorkspaceConfig, "values"> };

/** Surfaces that need more than the session, loaded on demand. */
const onDemand: Record<string, (workspace: SurfaceWorkspace) => Promise<Surface>> = {
  knowledge: async ({ project: { root }, config }) => {
    const { skillFolders } = await import("../surfaces/knowledge/skill-folders.ts");
    const folders = config.values.skills;
    return knowledgeSurface({ skills: skillFolders(root, folders?.length ? { folders: [...folders] } : {}) });
  },
  project: async ({ project: { root }, config }) =>
    (await import("../surfaces/project/surface.ts")).projectSurface({ root, ...projectOptionsOf(config) }),
  sandbox: async () => (await import("../surfaces/sandbox/surface.ts")).sandboxSurface(),
};

/** Every surface that can be chosen by name. */
export const knownSurfaces: readonly string[] = [...new Set([...surfaceNames, ...Object.keys(onDemand)])];

/** Loads the surfaces with these names for a workspace. */
export async function loadSurfaces(
  names: readonly string[],
  workspace: SurfaceWorkspace,
): Promise<Surface[]> {
  const unknown = names.find((name) => !knownSurfaces.includes(name));
  if (unknown !== undefined || names.length === 0) {
    throw new HoldfastError(
      "unknown_surface",
      `There is no surface called ${JSON.stringify(unknown ?? "")}. The surfaces are: ${knownSurfaces.join(", ")}.`,
      { data: { surface: unknown ?? "" } },
    );
  }
  const loaded: Surface[] = [];
  for (const name of new Set(names)) {
    const load = Object.hasOwn(onDemand, name) ? onDemand[name] : undefined;
    loaded.push(...(load ? [await load(workspace)] : findSurfaces([name])));
  }
  return loaded;
}

/** The abilities of an entry point for a surface. */
interface Ability {
  /** Its surfaces, if the config names none. */
  defaults: readonly string[];
  /** Surfaces that would not work there. */
  lacks: readonly string[];
}

/**
 * `agent`: Holdfast keeps the conversation. `server`: it only answers calls. `host`: its plugin offers the tools, in the
 * hosts that the scratchpad is from.
 */
const abilities = {
  agent: { defaults: defaultSurfaces.agent, lacks: [] },
  server: { defaults: defaultSurfaces.server, lacks: ["results", "sessions"] },
  host: {
    defaults: defaultSurfaces.plugin,
    lacks: ["results", "sessions", "sandbox"],
  },
} as const satisfies Record<string, Ability>;

/**
 * The surfaces of a workspace: those of its config that work there, or the defaults and `project` if there are notes.
 * `scratchpad.enabled: false` removes the scratchpad in any case.
 */
export function chosenSurfaces(
  { project, config }: SurfaceWorkspace,
  kind: keyof typeof abilities = "server",
): string[] {
  const { values } = config;
  const { defaults, lacks }: Ability = abilities[kind];
  const withNotes = hasNotes(project.root, values["project.file"]) ? [...defaults, "project"] : defaults;
  const names = new Set<string>(values.surfaces ?? withNotes);
  if (values["scratchpad.enabled"] === true) names.add("scratchpad");
  if (values["scratchpad.enabled"] === false) names.delete("scratchpad");
  const usable = [...names].filter((name) => !lacks.includes(name));
  return usable.length > 0 ? usable : [...defaultSurfaces.server];
}

/** The surfaces that a caller names for a server, which may serve the session of an agent. Refuses those that need one. */
export function requestedSurfaces(surfaces: readonly Surface[]): readonly Surface[] {
  const unusable = surfaces.find(({ needsAgent }) => needsAgent);
  if (!unusable) return surfaces;
  throw new HoldfastError(
    "invalid_input",
    `The surface "${unusable.name}" works only where a Holdfast agent runs: in "holdfast chat", and with createAgent. Leave it out here.`,
    { data: { surface: unusable.name } },
  );
}
