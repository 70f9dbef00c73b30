import { readWorkspaceConfig } from "../workspace/config.ts";
import type { Project } from "../workspace/project.ts";
import { chosenSurfaces } from "../workspace/surfaces.ts";
import type { Host } from "./host.ts";

/** What the agent of a host gets back in this project: the notepad, or the scratchpad; a pin is shown whatever the surfaces are. */
export function memoryPlace(
  host: Pick<Host, "offersTools"> | undefined,
  project: Project,
): "notepad" | "scratchpad" | "pins" {
  const config = readWorkspaceConfig(project);
  const chosen = chosenSurfaces({ project, config }, host?.offersTools ? "host" : "server");
  return (["notepad", "scratchpad"] as const).find((name) => chosen.includes(name)) ?? "pins";
}
