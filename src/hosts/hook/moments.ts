import { hasNotes } from "../../surfaces/project/notes-md/places.ts";
import type { Moment, MomentSurface } from "../../surfaces/surface.ts";
import type { HookContext } from "./context.ts";

/** Most projects have no such surface, and an agent waits for its hooks: what acts at a moment is loaded where there is one. */
async function surfacesOf({ surfaces, project, event }: HookContext): Promise<readonly MomentSurface[]> {
  if (surfaces) return surfaces;
  if (!hasNotes(project.root)) return [];
  const { projectMoments } = await import("../../surfaces/project/moments.ts");
  return [projectMoments({ root: project.root, agent: event.host.name })];
}

/** Whether anything acts at the moments of this conversation. */
export function hasMoments({ surfaces, project }: HookContext): boolean {
  return surfaces ? surfaces.length > 0 : hasNotes(project.root);
}

/** Tells the surfaces of a moment of the conversation; what goes wrong there is reported and blocks nothing. */
export async function notify(hook: HookContext, moment: Moment): Promise<void> {
  const session = { id: hook.sessionId, agent: "default" };
  for (const surface of await surfacesOf(hook))
    for (const warning of (await surface.onMoment?.(session, moment)) ?? []) hook.fail(new Error(warning));
}

/**
 * What a conversation begins with, or goes on with after a compaction: level 1 of NOTES.md; "" without one. Its
 * tokens are counted exactly, which takes a moment: an estimate is off by half in some scripts, and the budget is hard.
 */
export async function projectText(hook: HookContext): Promise<string> {
  const { root } = hook.project;
  if (!hasNotes(root)) return "";
  const { recoverProject, resolvedLines } = await import("../../surfaces/project/handover.ts");
  const { text, blockers, warnings } = await recoverProject({ root });
  for (const warning of warnings) hook.fail(new Error(warning));
  return [text, ...resolvedLines(blockers)].filter((line) => line !== "").join("\n");
}
