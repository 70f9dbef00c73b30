import { delimiter } from "node:path";
import { HoldfastError } from "../errors.ts";
import { knowledgeSurface } from "../surfaces/knowledge/tools.ts";
import { hasNotes } from "../surfaces/project/notes-md/places.ts";
import type { Surface } from "../surfaces/surface.ts";
import { findSurfaces, surfaceNames } from "../surfaces/surfaces.ts";

/** Surfaces that need more than the session, loaded on demand. */
const onDemand: Record<string, (root: string) => Promise<Surface>> = {
  knowledge: async (root) => {
    const { skillFolders } = await import("../surfaces/knowledge/skill-folders.ts");
    const folders = process.env.HOLDFAST_SKILLS?.split(delimiter).filter((folder) => folder !== "");
    return knowledgeSurface({ skills: skillFolders(root, folders?.length ? { folders } : {}) });
  },
  project: async (root) => (await import("../surfaces/project/surface.ts")).projectSurface({ root }),
  sandbox: async () => (await import("../surfaces/sandbox/surface.ts")).sandboxSurface(),
};

/** Every surface that can be chosen by name. */
export const knownSurfaces: readonly string[] = [...new Set([...surfaceNames, ...Object.keys(onDemand)])];

/** Loads the surfaces with these names for the project in `root`. */
export async function loadSurfaces(names: readonly string[], root: string): Promise<Surface[]> {
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
    loaded.push(...(load ? [await load(root)] : findSurfaces([name])));
  }
  return loaded;
}

const basicNames = ["notepad", "notes", "pins"];

/** The surfaces every agent gets. */
export const basicSurfaces: readonly Surface[] = findSurfaces(basicNames);

/** The default for an agent: the basic surfaces, and `project` if the project has notes. */
export function defaultSurfaces(root: string): string[] {
  return [...basicNames, ...(hasNotes(root) ? ["project"] : [])];
}
