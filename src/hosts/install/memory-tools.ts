import { projectSurface } from "../../surfaces/project/surface.ts";
import { findSurfaces, surfaceNames } from "../../surfaces/surfaces.ts";
import { dotless } from "../../surfaces/toolbox.ts";
import { chosenSurfaces } from "../../workspace/surfaces.ts";
import type { Places } from "./places.ts";

interface MemoryTool {
  /** Its name as the MCP server lists it. */
  name: string;
  readOnly: boolean;
}

/** The tools that the server offers by default, which init allows without asking. Tools of other surfaces still ask. */
export function memoryTools({ scope, root }: Places): MemoryTool[] {
  const project = { root, directory: "" };
  const names = chosenSurfaces({ project, config: { values: {} } });
  const isBasic = (name: string) => surfaceNames.some((known) => known === name) && name !== "project";
  const hasProject = scope === "project" && names.includes("project");
  const surfaces = [
    ...findSurfaces(names.filter(isBasic)),
    ...(hasProject ? [projectSurface({ root })] : []),
  ];
  return surfaces.flatMap(({ tools }) =>
    tools.map(({ name, readOnly = false }) => ({ name: dotless(name), readOnly })),
  );
}
