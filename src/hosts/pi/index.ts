import { openMemory } from "../../index.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import { defaultSurfaces, loadSurfaces } from "../../workspace/surfaces.ts";
import { failureReporter } from "../report-failure.ts";
import type { PiContext, PiExtensionApi } from "./api.ts";
import { PiExtension } from "./extension.ts";

/**
 * The pi extension: tools, memory before every model call, and compactions with a checkpoint and a receipt.
 *
 * @example
 * // .pi/extensions/holdfast.js
 * export { default } from "holdfast/pi";
 */
export default async function holdfast(pi: PiExtensionApi): Promise<void> {
  const report = failureReporter("pi");
  const tell = (event: string, error: unknown, { cwd, hasUI, ui }: PiContext) =>
    // On a terminal that pi draws on, a line on stderr would stand in the middle of the picture.
    report(event, error, cwd, hasUI && ui ? (line) => ui.notify(line, "warning") : undefined);
  // pi starts in the project's folder, and tools have to be there before the first session is.
  const { root } = findProject(process.cwd());
  const surfaces = await loadSurfaces(defaultSurfaces(root), root);
  const parts = await openMemory({ store: "memory:", surfaces });
  const extension = new PiExtension(pi, {
    tools: parts.tools(),
    report: tell,
    openMemory: (context) =>
      openOrDoWithout(context.cwd, surfaces, (error) => tell("session_start", error, context)),
  });
  extension.register(pi);
}

/** What pi's own file says is enough to go on with: without a store, memory lives there alone. */
async function openOrDoWithout(
  cwd: string,
  surfaces: readonly Surface[],
  report: (error: unknown) => void,
): Promise<Memory> {
  try {
    return await openWorkspaceMemory({ cwd, surfaces });
  } catch (error) {
    report(error);
    return openMemory({ store: "memory:", surfaces });
  }
}
