import { existsSync } from "node:fs";
import { join } from "node:path";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { Checkpoint } from "../engine/conversation.ts";
import type { Scene } from "./hook-scene.ts";

const places = [".holdfast/NOTES.md", "grimoires/loa/NOTES.md"];

/** Looked for without loading what reads it: most projects have none, and an agent waits for its hooks. */
export function hasProjectNotes({ project }: Scene): boolean {
  return Boolean(process.env.HOLDFAST_NOTES) || places.some((place) => existsSync(join(project.root, place)));
}

/** The estimate may be a fifth too low; a budget must not be broken for it. */
const countTokens = (text: string) => Math.ceil(estimateTokens(text) * 1.25);

/** What a conversation begins with, or goes on with after a compaction: level 1 of NOTES.md; "" without one. */
export async function recoverProject(scene: Scene): Promise<string> {
  if (!hasProjectNotes(scene)) return "";
  const { startProjectSession } = await import("../project/handover.ts");
  const started = await startProjectSession({ ...about(scene), countTokens });
  tell(scene, started.warnings);
  const blockers = started.blockers.map(
    ({ line, blocker, reason }) => `This blocker may have resolved (line ${line}, ${reason}): ${blocker}`,
  );
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
