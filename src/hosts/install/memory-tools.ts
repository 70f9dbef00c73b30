import { hasNotes } from "../../surfaces/project/notes-md/places.ts";
import { projectSurface } from "../../surfaces/project/surface.ts";
import { dotless } from "../../surfaces/toolbox.ts";
import { basicSurfaces } from "../../workspace/surfaces.ts";
import type { Places } from "./places.ts";

interface MemoryTool {
  /** Its name as the MCP server lists it. */
  name: string;
  readOnly: boolean;
}

/** The tools that the server offers by default, which init allows without asking. Tools of other surfaces still ask. */
export function memoryTools({ scope, root }: Places): MemoryTool[] {
  const hasProject = scope === "project" && hasNotes(root);
  const surfaces = [...basicSurfaces, ...(hasProject ? [projectSurface({ root })] : [])];
  return surfaces.flatMap(({ tools }) =>
    tools.map(({ name, readOnly = false }) => ({ name: dotless(name), readOnly })),
  );
}
