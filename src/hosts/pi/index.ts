import { HoldfastError } from "../../errors.ts";
import { openMemory } from "../../index.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { chosenSurfaces, loadSurfaces } from "../../workspace/chosen-surfaces.ts";
import { limitsOf, readWorkspaceConfig, secretsOf, settingValue } from "../../workspace/config.ts";
import { explainProblems } from "../../workspace/config-file.ts";
import { openMemoryIn } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { failureReporter } from "../failures.ts";
import { describeTools } from "../plugin/conversation.ts";
import type { PiContext, PiExtensionApi } from "./api.ts";
import { PiExtension } from "./extension.ts";

/**
 * The pi extension: tools, memory before every model call, and compactions with a handoff and a receipt.
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
  const project = findProject(process.cwd());
  const config = readWorkspaceConfig(project);
  const surfaces = await loadSurfaces(chosenSurfaces({ project, config }, "host"), { project, config });
  const extension = new PiExtension(pi, {
    tools: describeTools(surfaces, config),
    nudges: config.nudges,
    placement: settingValue(config, "placement"),
    report: reportFailure,
    openMemory: (context) =>
      openStoreOrMemory(context.cwd, surfaces, (error) => reportFailure("session_start", error, context)),
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
    const workspace = findWorkspace({ cwd });
    for (const problem of await explainProblems(workspace.config))
      report(new HoldfastError("invalid_input", problem));
    return await openMemoryIn(workspace, { surfaces, isInteractive: true });
  } catch (error) {
    report(error);
    const config = readWorkspaceConfig(findProject(cwd));
    const [limits, secrets] = [limitsOf(config), secretsOf(config)];
    return openMemory({ store: "memory:", surfaces, limits, secrets });
  }
}
