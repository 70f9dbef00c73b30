import type { Checkpoint } from "../../engine/records.ts";
import { hasNotes } from "../../surfaces/project/notes-md/places.ts";
import type { Scene } from "./scene.ts";

/** Most projects have none, and an agent waits for its hooks: what reads them is loaded only where there are some. */
export function hasProjectNotes({ project }: Scene): boolean {
  return hasNotes(project.root);
}

/**
 * What a conversation begins with, or goes on with after a compaction: level 1 of NOTES.md; "" without one. Its
 * tokens are counted exactly, which takes a moment: an estimate is off by half in some scripts, and the budget is hard.
 */
export async function recoverProject(scene: Scene): Promise<string> {
  if (!hasProjectNotes(scene)) return "";
  const { resolvedLines, startProjectSession } = await import("../../surfaces/project/handover.ts");
  const started = await startProjectSession(about(scene));
  tell(scene, started.warnings);
  return [started.text, ...resolvedLines(started.blockers)].filter((text) => text !== "").join("\n");
}

/** Compaction and the end of a conversation: what is unfinished goes into NOTES.md. */
export async function checkpointProjectOf(
  scene: Scene,
  checkpoint: Checkpoint,
  moment: "compaction" | "end",
): Promise<void> {
  if (!hasProjectNotes(scene)) return;
  const { checkpointProject } = await import("../../surfaces/project/handover.ts");
  tell(scene, (await checkpointProject({ ...about(scene), checkpoint, moment })).warnings);
}

function about({ project, event, sessionId }: Scene) {
  return { root: project.root, agent: event.host.name, session: sessionId };
}

function tell(scene: Scene, warnings: readonly string[]): void {
  for (const warning of warnings) scene.fail(new Error(warning));
}
