import { defaultLimits } from "../../engine/limits.ts";
import { hasNotes } from "../../surfaces/project/notes-md/places.ts";
import { projectSurface } from "../../surfaces/project/surface.ts";
import { createToolbox, dotless } from "../../surfaces/toolbox.ts";
import { findProject } from "../../workspace/project.ts";
import { basicSurfaces } from "../../workspace/surfaces.ts";
import { failureReporter } from "../report-failure.ts";
import type {
  OpenClawApi,
  OpenClawCompactionEvent,
  OpenClawContext,
  OpenClawPlugin,
  OpenClawPromptEvent,
  OpenClawTool,
} from "./api.ts";
import { OpenClawMemory, type Report } from "./openclaw-memory.ts";

const memory = new OpenClawMemory();
const report = failureReporter("openclaw");
const project = projectSurface({ root: process.cwd() });
const tools = createToolbox([...basicSurfaces, project], {
  limits: defaultLimits,
  countTokens: () => 0,
}).describe();
/** OpenClaw calls `register` several times in one turn. */
const registered = new WeakSet<OpenClawApi>();

/** The OpenClaw plug-in: tools, memory in the prompt, a checkpoint before and a receipt after each compaction. */
const plugin: OpenClawPlugin = {
  id: "holdfast",
  name: "Holdfast",
  description: "Working memory that survives compaction",
  register(api) {
    if (registered.has(api)) return;
    registered.add(api);
    const reportFailure = (event: string, error: unknown, context: OpenClawContext) =>
      report(
        event,
        error,
        context.workspaceDir || process.cwd(),
        api.logger && ((line) => api.logger?.warn(line)),
      );
    const listen = <Event, Result>(
      name: string,
      handle: (event: Event, context: OpenClawContext, failed: Report) => Promise<Result>,
    ) =>
      api.on(name, async (event: Event, hookContext: OpenClawContext): Promise<Result | undefined> => {
        const context = hookContext ?? {};
        const failed = (error: unknown) => reportFailure(name, error, context);
        try {
          return await handle(event, context, failed);
        } catch (error) {
          failed(error);
          return undefined;
        }
      });
    api.registerTool((context) => toolsFor(context).map((tool) => toolOf(tool, context)), {
      names: tools.map(({ name }) => dotless(name)),
    });
    listen("before_prompt_build", async ({ messages = [] }: OpenClawPromptEvent, context, failed) => {
      const { head, news } = await memory.texts(context, messages, failed);
      return { appendSystemContext: head, ...(news === "" ? {} : { prependContext: news }) };
    });
    listen("before_compaction", (event: OpenClawCompactionEvent, context, failed) =>
      memory.beforeCompaction(event, context, failed),
    );
    listen("after_compaction", (event: OpenClawCompactionEvent, context) =>
      memory.afterCompaction(event, context),
    );
    listen("before_reset", (_event, context, failed) => memory.reset(context, failed));
    listen("gateway_stop", (_event, _context, failed) => memory.close(failed));
  },
};

export default plugin;

/** Offers the project tools only if the project has a NOTES.md. */
function toolsFor({ workspaceDir }: OpenClawContext): typeof tools {
  const { root } = findProject(workspaceDir || process.cwd());
  return hasNotes(root) ? tools : tools.filter(({ surface }) => surface !== project.name);
}

function toolOf(
  { name, description, inputSchema, readOnly }: (typeof tools)[number],
  context: OpenClawContext,
): OpenClawTool {
  return {
    name: dotless(name),
    label: name,
    description,
    parameters: inputSchema,
    executionMode: "sequential",
    catalogMode: "direct-only",
    execute: async (_callId, input) => {
      const { text, ...details } = await memory.call(context, name, input, readOnly);
      return { content: [{ type: "text", text }], details };
    },
  };
}
