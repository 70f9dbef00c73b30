import { notifySurfaces } from "../../surfaces/notify.ts";
import { hasNotes } from "../../surfaces/project/notes-md/places.ts";
import type { Moment, MomentSurface } from "../../surfaces/surface.ts";
import type { HookContext } from "./context.ts";

/** Loaded only if the project has NOTES.md: most have none, and agents wait for their hooks. */
async function surfacesOf({ surfaces, project, event }: HookContext): Promise<readonly MomentSurface[]> {
  if (surfaces) return surfaces;
  if (!hasNotes(project.root)) return [];
  const { projectMoments } = await import("../../surfaces/project/moments.ts");
  return [projectMoments({ root: project.root, agent: event.host.name })];
}

/** Whether any surface reacts to moments of this conversation. */
export function hasMoments({ surfaces, project }: HookContext): boolean {
  return surfaces ? surfaces.length > 0 : hasNotes(project.root);
}

/** Notifies the surfaces of a moment in the conversation; their failures are reported but never block the hook. */
export async function notify(hook: HookContext, moment: Moment): Promise<void> {
  const session = { id: hook.sessionId, agent: "default" };
  for (const warning of await notifySurfaces(await surfacesOf(hook), session, moment))
    hook.fail(new Error(warning));
}

/**
 * Level 1 of NOTES.md, shown at the start of a conversation and after a compaction; "" without NOTES.md. Its tokens are
 * counted exactly, though that is slower: estimates are off by half in some scripts, and the budget is hard.
 */
export async function projectText(hook: HookContext): Promise<string> {
  const { root } = hook.project;
  if (!hasNotes(root)) return "";
  const { recoverProject, resolvedLines } = await import("../../surfaces/project/handover.ts");
  const { text, blockers, warnings } = await recoverProject({ root });
  for (const warning of warnings) hook.fail(new Error(warning));
  return [text, ...resolvedLines(blockers)].filter((line) => line !== "").join("\n");
}
