import { notifySurfaces } from "../../surfaces/notify.ts";
import { hasNotes } from "../../surfaces/project/location.ts";
import type { Moment, MomentSurface } from "../../surfaces/surface.ts";
import { offers } from "../../workspace/config.ts";
import type { HookContext } from "./context.ts";

/** Loaded only if the project has NOTES.md: most have none, and agents wait for their hooks. */
async function surfacesOf(hook: HookContext): Promise<readonly MomentSurface[]> {
  if (hook.surfaces) return hook.surfaces;
  if (!hasMoments(hook)) return [];
  const { projectMoments } = await import("../../surfaces/project/moments.ts");
  return [projectMoments({ ...notesOf(hook), agent: hook.event.host.name })];
}

/** Where the project's NOTES.md is. */
function notesOf({ project, config }: HookContext): { root: string; path: string | undefined } {
  return { root: project.root, path: config.values["project.file"] };
}

/** Whether any surface reacts to moments of this conversation. */
export function hasMoments(hook: HookContext): boolean {
  if (hook.surfaces) return hook.surfaces.length > 0;
  const { root, path } = notesOf(hook);
  return offers(hook.config, "project") && hasNotes(root, path);
}

/** Notifies the surfaces of a moment in the conversation; their failures are reported but never block the hook. */
export async function notify(hook: HookContext, moment: Moment): Promise<void> {
  const session = { id: hook.sessionId, agent: "default" };
  for (const warning of await notifySurfaces(await surfacesOf(hook), session, moment))
    hook.fail(new Error(warning));
}

/** Level 1 of NOTES.md, shown at the start of a conversation and after a compaction; "" without NOTES.md. */
export async function projectText(hook: HookContext): Promise<string> {
  if (!offers(hook.config, "project") || !hasNotes(hook.project.root, notesOf(hook).path)) return "";
  const { recoverProject, resolvedLines } = await import("../../surfaces/project/moments.ts");
  const { text, blockers, warnings } = await recoverProject(notesOf(hook));
  for (const warning of warnings) hook.fail(new Error(warning));
  return [text, ...resolvedLines(blockers)].filter((line) => line !== "").join("\n");
}
