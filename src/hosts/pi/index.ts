import { openMemory } from "../../index.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { interactivePatience, openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { Outbox } from "../../workspace/outbox.ts";
import { findProject } from "../../workspace/project.ts";
import { defaultSurfaces, loadSurfaces } from "../../workspace/surfaces.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
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
  const reportFailure = (event: string, error: unknown, { cwd, hasUI, ui }: PiContext) =>
    // Writing to stderr would garble pi's terminal UI.
    report(event, error, cwd, hasUI && ui ? (line) => ui.notify(line, "warning") : undefined);
  // pi starts in the project's folder, and needs the tools before the first session exists.
  const { root } = findProject(process.cwd());
  const surfaces = await loadSurfaces(defaultSurfaces(root), root);
  const parts = await openMemory({ store: "memory:", surfaces });
  const extension = new PiExtension(pi, {
    tools: parts.tools(),
    report: reportFailure,
    openMemory: (context) =>
      openStoreOrMemory(context.cwd, surfaces, (error) => reportFailure("session_start", error, context)),
    outbox: new Outbox(findWorkspace()),
  });
  extension.register(pi);
}

/** Without a store, the entries in pi's own file are enough to continue. */
async function openStoreOrMemory(
  cwd: string,
  surfaces: readonly Surface[],
  report: (error: unknown) => void,
): Promise<Memory> {
  try {
    return await openWorkspaceMemory({ cwd, surfaces, patience: interactivePatience });
  } catch (error) {
    report(error);
    return openMemory({ store: "memory:", surfaces });
  }
}
