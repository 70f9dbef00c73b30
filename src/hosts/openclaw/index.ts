import { defaultLimits } from "../../engine/limits.ts";
import { createToolbox, dotless } from "../../surfaces/toolbox.ts";
import { basicSurfaces } from "../../workspace/surfaces.ts";
import { failureReporter } from "../report-failure.ts";
import type {
  OpenClawApi,
  OpenClawCompactionEvent,
  OpenClawContext,
  OpenClawPlugin,
  OpenClawTool,
} from "./api.ts";
import { OpenClawMemory } from "./openclaw-memory.ts";

const memory = new OpenClawMemory();
const report = failureReporter("openclaw");
const tools = createToolbox(basicSurfaces, { limits: defaultLimits, countTokens: () => 0 }).describe();
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
    const tell = (event: string, error: unknown, context: OpenClawContext) =>
      report(
        event,
        error,
        context.workspaceDir || process.cwd(),
        api.logger && ((line) => api.logger?.warn(line)),
      );
    const listen = <Event, Result>(
      name: string,
      handle: (event: Event, context: OpenClawContext) => Promise<Result>,
    ) =>
      api.on(name, async (event: Event, context: OpenClawContext): Promise<Result | undefined> => {
        try {
          return await handle(event, context ?? {});
        } catch (error) {
          tell(name, error, context ?? {});
          return undefined;
        }
      });
    api.registerTool((context) => tools.map((tool) => toolOf(tool, context)), {
      names: tools.map(({ name }) => dotless(name)),
    });
    listen("before_prompt_build", async (_event, context) => {
      const { head, news } = await memory.texts(context);
      return { appendSystemContext: head, ...(news === "" ? {} : { prependContext: news }) };
    });
    listen("before_compaction", (event: OpenClawCompactionEvent, context) =>
      memory.beforeCompaction(event, context),
    );
    listen("after_compaction", (event: OpenClawCompactionEvent, context) =>
      memory.afterCompaction(event, context),
    );
    listen("before_reset", (_event, context) => memory.reset(context));
    listen("gateway_stop", () => memory.close());
  },
};

export default plugin;

function toolOf(
  { name, description, inputSchema }: (typeof tools)[number],
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
      const { text, ...details } = await memory.call(context, name, input);
      return { content: [{ type: "text", text }], details };
    },
  };
}
