import { dirname } from "node:path";
import { projectSurface } from "../../surfaces/project/surface.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { findSurfaces } from "../../surfaces/surfaces.ts";
import { dotless } from "../../surfaces/toolbox.ts";
import { chosenSurfaces, type SurfaceWorkspace } from "../../workspace/chosen-surfaces.ts";
import { readWorkspaceConfig, userConfigFile } from "../../workspace/config.ts";
import type { Project } from "../../workspace/project.ts";
import type { Host } from "../host.ts";
import type { Places } from "./places.ts";

interface MemoryTool {
  /** Its name as the MCP server lists it. */
  name: string;
  readOnly: boolean;
  /** Whether the agent gets it. */
  isOffered: boolean;
}

/** Surfaces whose tools init may allow. Tools of the others run programs or change the agent, so they still ask. */
const allowable = ["notepad", "notes", "scratchpad", "pins", "recall", "tasks", "project"];

/** The surfaces that agents get from this installation. */
export function offeredSurfaces(places: Places): string[] {
  return chosenSurfaces(workspaceOf(places));
}

/** The memory that the agent of a host gets back in this project: the notepad, or the scratchpad; a pin is shown whatever the surfaces are. */
export function memoryPlace(
  host: Pick<Host, "offersTools"> | undefined,
  project: Project,
): "notepad" | "scratchpad" | "pins" {
  const config = readWorkspaceConfig(project);
  const chosen = chosenSurfaces({ project, config }, host?.offersTools ? "host" : "server");
  return (["notepad", "scratchpad"] as const).find((name) => chosen.includes(name)) ?? "pins";
}

function workspaceOf({ scope, root, env, home, surfaces }: Places): SurfaceWorkspace {
  // A file of one project decides nothing for all of them.
  const from = scope === "project" ? root : dirname(userConfigFile({ ...env, HOME: home }));
  const project = { root: from, directory: "" };
  const { values } = readWorkspaceConfig(project, { env: { ...env, HOME: home } });
  return { project, config: { values: surfaces === undefined ? values : { ...values, surfaces } } };
}

/** The tools that init may allow without asking, and which of them the agent gets. */
export function memoryTools(places: Places): MemoryTool[] {
  const workspace = workspaceOf(places);
  const offered = chosenSurfaces(workspace);
  // Some of all projects have notes, and agents get these tools only there.
  if (places.scope === "user" && workspace.config.values.surfaces === undefined) offered.push("project");
  const surfaces: Surface[] = [
    ...findSurfaces(allowable.filter((name) => name !== "project")),
    projectSurface({ root: places.root }),
  ];
  return surfaces.flatMap(({ name: surface, tools }) =>
    tools.map(({ name, readOnly = false }) => ({
      name: dotless(name),
      readOnly,
      isOffered: offered.includes(surface),
    })),
  );
}

/** The rules of a host that allow the memory tools: those that hold, and those of tools that the agent does not get. */
export interface AllowRules {
  allowed: string[];
  others: string[];
}

export function allowRules(places: Places, prefix: string): AllowRules {
  const { true: allowed = [], false: others = [] } = Object.groupBy(memoryTools(places), ({ isOffered }) =>
    isOffered ? "true" : "false",
  );
  const rulesOf = (tools: readonly MemoryTool[]) => tools.map(({ name }) => `${prefix}${name}`);
  return { allowed: rulesOf(allowed), others: rulesOf(others) };
}
