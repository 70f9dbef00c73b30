import { projectSurface } from "../../surfaces/project/surface.ts";
import { inPlugin } from "../../surfaces/surface.ts";
import { findSurfaces } from "../../surfaces/surfaces.ts";
import { createToolbox, type ToolDescription } from "../../surfaces/toolbox.ts";
import { limitsOf } from "../../workspace/library-options.ts";
import { chosenSurfaces } from "../../workspace/surfaces.ts";
import { findWorkspace } from "../../workspace/workspace.ts";

/** The tools of the surfaces that the project in this folder has. */
export function pluginTools(cwd: string): ToolDescription[] {
  const workspace = findWorkspace({ cwd });
  const chosen = chosenSurfaces(workspace, "host");
  const surfaces = [
    ...findSurfaces(["notepad", "notes", "pins", "scratchpad", "tasks", "knowledge"]),
    projectSurface({ root: cwd }),
  ].filter(({ name }) => chosen.includes(name));
  const setting = { limits: limitsOf(workspace.config), countTokens: () => 0 };
  return createToolbox(surfaces, setting, inPlugin).describe();
}
