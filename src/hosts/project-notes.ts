import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Checkpoint } from "../engine/conversation.ts";
import { takeCharacters } from "../engine/text.ts";
import type { Scene } from "./hook-scene.ts";

const places = [".holdfast/NOTES.md", "grimoires/loa/NOTES.md"];

/** Looked for without loading what reads it: most projects have none, and an agent waits for its hooks. */
export function hasProjectNotes({ project }: Scene): boolean {
  return Boolean(process.env.HOLDFAST_NOTES) || places.some((place) => existsSync(join(project.root, place)));
}

/** Blockers that are named after level 1; "holdfast project status" has them all. */
const mostBlockers = 3;
const longestBlocker = 80;

/**
 * What a conversation begins with, or goes on with after a compaction: level 1 of NOTES.md; "" without one. Its
 * tokens are counted exactly, which takes a moment: an estimate is off by half in some scripts, and the budget is hard.
 */
export async function recoverProject(scene: Scene): Promise<string> {
  if (!hasProjectNotes(scene)) return "";
  const [{ startProjectSession }, { asData }] = await Promise.all([
    import("../project/handover.ts"),
    import("../project/recover.ts"),
  ]);
  const started = await startProjectSession(about(scene));
  tell(scene, started.warnings);
  const blockers = started.blockers.slice(0, mostBlockers).map(({ line, blocker, reason }) => {
    const said = [reason, blocker].map((text) => takeCharacters(asData(text), longestBlocker));
    return `This blocker may have resolved (line ${line}, ${said[0]}): ${said[1]}`;
  });
  const more = started.blockers.length - blockers.length;
  if (more > 0) blockers.push(`${more} more may have resolved: "holdfast project status" names them.`);
  return [started.text, ...blockers].filter((text) => text !== "").join("\n");
}

/** Compaction and the end of a conversation: what is unfinished goes into NOTES.md. */
export async function checkpointProjectOf(
  scene: Scene,
  checkpoint: Checkpoint,
  moment: "compaction" | "end",
): Promise<void> {
  if (!hasProjectNotes(scene)) return;
  const { checkpointProject } = await import("../project/handover.ts");
  tell(scene, (await checkpointProject({ ...about(scene), checkpoint, moment })).warnings);
}

function about({ project, event, sessionId }: Scene) {
  return { root: project.root, agent: event.host, session: sessionId };
}

function tell(scene: Scene, warnings: readonly string[]): void {
  for (const warning of warnings) scene.fail(new Error(warning));
}
