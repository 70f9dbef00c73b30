import { projectSurface } from "../../surfaces/project/surface.ts";
import { findSurfaces } from "../../surfaces/surfaces.ts";
import { dotless, type ToolDescription } from "../../surfaces/toolbox.ts";
import { chosenSurfaces } from "../../workspace/chosen-surfaces.ts";
import { failureReporter } from "../failures.ts";
import { describeTools, type Report, toolFields } from "../plugin/conversation.ts";
import type {
  OpenClawApi,
  OpenClawCompactionEvent,
  OpenClawContext,
  OpenClawMessageEvent,
  OpenClawModelEvent,
  OpenClawPlugin,
  OpenClawPromptEvent,
  OpenClawTool,
} from "./api.ts";
import { OpenClawMemory } from "./openclaw-memory.ts";
import { openTranscript } from "./transcript.ts";

const memoryKey = Symbol.for("holdfast.openclaw");
const ofProcess = globalThis as typeof globalThis & { [memoryKey]?: OpenClawMemory };
/** One for all copies of this module: OpenClaw loads it once more for the results of tools. */
const memory = ofProcess[memoryKey] ?? new OpenClawMemory();
ofProcess[memoryKey] = memory;
const report = failureReporter("openclaw");
/** The surfaces that a config can choose here. They are known before a project is: OpenClaw reads names first. */
const surfaces = [
  ...findSurfaces(["notepad", "notes", "pins", "recall", "scratchpad", "tasks", "knowledge"]),
  projectSurface({ root: process.cwd() }),
];
const names = surfaces.flatMap(({ tools }) => tools.map((tool) => dotless(tool.name)));
/** OpenClaw calls `register` several times in one turn. */
const registered = new WeakSet<OpenClawApi>();

/** The OpenClaw plugin: tools, memory in the prompt, the warning, a handoff before and a receipt after each compaction. */
const plugin: OpenClawPlugin = {
  id: "holdfast",
  name: "Holdfast",
  description: "Working memory that survives compaction",
  register(api) {
    if (registered.has(api)) return;
    registered.add(api);
    memory.configure(settingsOf(api));
    memory.openTranscript = (context) => openTranscript(api, context);
    const reporter =
      (event: string, { workspaceDir }: OpenClawContext = {}): Report =>
      (error) =>
        report(event, error, workspaceDir || process.cwd(), api.logger && ((line) => api.logger?.warn(line)));
    const listen = <Event, Result>(
      name: string,
      handle: (event: Event, context: OpenClawContext, failed: Report) => Promise<Result>,
    ) =>
      api.on(name, async (event: Event, hookContext: OpenClawContext): Promise<Result | undefined> => {
        const context = hookContext ?? {};
        const failed = reporter(name, context);
        try {
          return await handle(event, context, failed);
        } catch (error) {
          failed(error);
          return undefined;
        }
      });
    api.registerTool(
      (context) =>
        toolsFor(context).map((tool) => toolOf(tool, context, reporter(`tool ${tool.name}`, context))),
      { names },
    );
    listen("before_prompt_build", async ({ messages = [] }: OpenClawPromptEvent, context, failed) => {
      const { head, news } = await memory.texts(context, messages, failed);
      return { appendSystemContext: head, ...(news === "" ? {} : { prependContext: news }) };
    });
    for (const call of ["model_call_started", "llm_output"])
      listen(call, async (event: OpenClawModelEvent) => memory.noteWindow(event));
    // OpenClaw calls it while it stores the message, and takes no promise.
    api.on("before_message_write", ({ message }: OpenClawMessageEvent, context) =>
      memory.noteMessage(message, context ?? {}),
    );
    api.registerAgentToolResultMiddleware?.(
      async ({ result }, context) => {
        try {
          const warned = await memory.warnWithResult(result, context);
          return warned && { result: warned };
        } catch (error) {
          // A tool whose result cannot be looked at fails.
          reporter("tool result", context)(error);
          return undefined;
        }
      },
      { runtimes: ["openclaw"] },
    );
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

/** `agents.defaults.claudeSdk.scratchpad` of OpenClaw's config, where it has this key; our own config there overrides it. */
function settingsOf({ config, pluginConfig = {} }: OpenClawApi): Record<string, unknown> {
  const scratchpad = config?.agents?.defaults?.claudeSdk?.scratchpad;
  return scratchpad === undefined ? pluginConfig : { scratchpad, ...pluginConfig };
}

/** The tools of the surfaces that the conversation's project has. */
function toolsFor(context: OpenClawContext): ToolDescription[] {
  const workspace = memory.workspaceOf(context);
  const chosen = chosenSurfaces(workspace, "host");
  return describeTools(
    surfaces.filter(({ name }) => chosen.includes(name)),
    workspace.config,
  );
}

function toolOf(tool: ToolDescription, context: OpenClawContext, failed: Report): OpenClawTool {
  const { name, readOnly } = tool;
  return {
    ...toolFields(tool),
    catalogMode: "direct-only",
    execute: async (id, input) => {
      const { text, output } = await memory.call(context, { id, name, input, readOnly }, failed);
      return { content: [{ type: "text", text }], details: output };
    },
  };
}
