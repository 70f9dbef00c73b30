import { projectSurface } from "../../surfaces/project/surface.ts";
import { inPlugin } from "../../surfaces/surface.ts";
import { findSurfaces } from "../../surfaces/surfaces.ts";
import { createToolbox, dotless, type ToolDescription } from "../../surfaces/toolbox.ts";
import { limitsOf } from "../../workspace/library-options.ts";
import { chosenSurfaces } from "../../workspace/surfaces.ts";
import { failureReporter } from "../report-failure.ts";
import type {
  OpenClawApi,
  OpenClawCompactionEvent,
  OpenClawContext,
  OpenClawOutputEvent,
  OpenClawPlugin,
  OpenClawPromptEvent,
  OpenClawTool,
} from "./api.ts";
import { OpenClawMemory, type Report } from "./openclaw-memory.ts";

const memory = new OpenClawMemory();
const report = failureReporter("openclaw");
/** The surfaces that a config can choose here. They are known before a project is: OpenClaw reads names first. */
const surfaces = [
  ...findSurfaces(["notepad", "notes", "pins", "scratchpad", "tasks", "knowledge"]),
  projectSurface({ root: process.cwd() }),
];
const names = surfaces.flatMap(({ tools }) => tools.map((tool) => dotless(tool.name)));
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
    memory.configure(api.pluginConfig ?? {});
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
      names,
    });
    listen("before_prompt_build", async ({ messages = [] }: OpenClawPromptEvent, context, failed) => {
      const { head, news } = await memory.texts(context, messages, failed);
      return { appendSystemContext: head, ...(news === "" ? {} : { prependContext: news }) };
    });
    listen("llm_output", async (event: OpenClawOutputEvent) => memory.noteWindow(event));
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

/** The tools of the surfaces that the conversation's project has. */
function toolsFor(context: OpenClawContext): ToolDescription[] {
  const workspace = memory.workspaceOf(context);
  const chosen = chosenSurfaces(workspace, "host");
  const offered = surfaces.filter(({ name }) => chosen.includes(name));
  return createToolbox(
    offered,
    { limits: limitsOf(workspace.config), countTokens: () => 0 },
    inPlugin,
  ).describe();
}

function toolOf(
  { name, description, inputSchema, readOnly }: ToolDescription,
  context: OpenClawContext,
): OpenClawTool {
  return {
    name: dotless(name),
    label: name,
    description,
    parameters: inputSchema,
    executionMode: "sequential",
    catalogMode: "direct-only",
    execute: async (id, input) => {
      const call = { id, tool: name, input, isReadOnly: readOnly };
      const { text, ...details } = await memory.call(context, call);
      return { content: [{ type: "text", text }], details };
    },
  };
}
