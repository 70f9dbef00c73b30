import { jsonSchema, type ToolSet, tool, wrapLanguageModel } from "ai";
import { agentOptionKinds, checkAgentOptions } from "../../agent/options.ts";
import { typeName } from "../../engine/check-fields.ts";
import { type ErrorCode, HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import { schemaOf } from "../../surfaces/dispatch.ts";
import type { Tool } from "../../surfaces/surface.ts";
import { dotless } from "../../surfaces/toolbox.ts";
import { CallerMemory } from "../caller/caller-memory.ts";
import { type AdapterOptions, adapterOptionKinds } from "../caller/options.ts";
import { memoryMiddleware, prepareStepFor, type Step } from "./middleware.ts";

export type { AgentEvent } from "../../agent/events.ts";
export { holdfastEnd } from "../caller/caller-memory.ts";
export type { AdapterOptions } from "../caller/options.ts";
export type { Step } from "./middleware.ts";

/** A model object from a provider; a model named by a string must be resolved first. */
export type Model = Parameters<typeof wrapLanguageModel>[0]["model"];

export interface HoldfastOptions<TOOLS extends ToolSet> extends AdapterOptions {
  model: Model;
  /** The agent's own tools; memory's are added to them. */
  tools?: TOOLS;
}

/**
 * Memory for a `ToolLoopAgent`, or for a `streamText` or `generateText` call: spread it into the settings.
 *
 * @example
 * const memory = await openMemory({ store: "memory.db" });
 * const session = await memory.openSession("audit");
 * const agent = new ToolLoopAgent({ ...holdfast({ session, model, contextWindow: 128_000, tools }) });
 */
export function holdfast<TOOLS extends ToolSet = ToolSet>(options: HoldfastOptions<TOOLS>) {
  checkAgentOptions("holdfast", options, adapterOptionKinds);
  const { session, model, tools, ...rest } = options;
  checkModel(model);
  const memory = new CallerMemory(session, { ...rest, ...(tools ? { tools } : {}) });
  const memoryTools = executableTools(memory);
  checkNames(tools ?? {}, memoryTools);
  const offered: ToolSet = { ...tools, ...memoryTools };
  const prepareStep = prepareStepFor(memory, model);
  const followTools = followAuthoredTools(memory, offered);
  return {
    model: wrapLanguageModel({ model, middleware: memoryMiddleware(memory, options) }),
    tools: offered as TOOLS & ToolSet,
    prepareStep: async (step: Step): Promise<undefined> => {
      await prepareStep(step);
      // The SDK reads the tools of each step from the same object.
      await followTools().catch(memory.report);
    },
  };
}

/** Only memory's tools, ready to run; their names have no dots. */
export function holdfastTools(session: Session, options: Pick<AdapterOptions, "surfaces"> = {}): ToolSet {
  checkAgentOptions("holdfastTools", options, { surfaces: agentOptionKinds.surfaces });
  return executableTools(new CallerMemory(session, options));
}

/** Untyped callers may pass a model name, as the SDK allows, but a name cannot be wrapped. */
function checkModel(model: unknown): void {
  if (typeof model === "object" && model !== null) return;
  throw new HoldfastError(
    "invalid_input",
    `"model" must be a model object from a provider, such as gateway("${String(model)}") from "ai" (got ${typeName(model)}).`,
  );
}

function checkNames(own: ToolSet, memory: ToolSet): void {
  const taken = Object.keys(own).filter((name) => Object.hasOwn(memory, name));
  if (taken.length === 0) return;
  throw new HoldfastError(
    "duplicate_tool",
    `Your tools and memory's tools both have ${taken.join(", ")}. Rename yours, or leave out the surface with "surfaces".`,
    { data: { tools: taken } },
  );
}

/** Memory's tools for the AI SDK, ready to run. The model reads a tool's text; programs get its structured output. */
function executableTools(memory: CallerMemory): ToolSet {
  return Object.fromEntries(memory.tools.map((each) => [dotless(each.name), executable(memory, each)]));
}

/** Adds the tools that the agent has authored since to the ones that the SDK was given, and removes deleted ones. */
function followAuthoredTools(memory: CallerMemory, offered: ToolSet): () => Promise<void> {
  const added = new Set<string>();
  return async () => {
    const tools = await memory.refreshTools();
    const names = new Set(tools.map(({ name }) => dotless(name)));
    for (const name of added) {
      if (names.has(name)) continue;
      delete offered[name];
      added.delete(name);
    }
    for (const tool of tools) {
      const name = dotless(tool.name);
      if (!Object.hasOwn(offered, name)) added.add(name);
      if (added.has(name)) offered[name] = executable(memory, tool);
    }
  };
}

function executable(memory: CallerMemory, { name, description, input, text }: Tool): ToolSet[string] {
  return tool({
    description,
    // `run` validates the input, with errors that say what to do next.
    inputSchema: jsonSchema<Record<string, unknown>>(schemaOf(input, "input")),
    execute: async (given, { toolCallId }): Promise<Record<string, unknown>> => {
      const answer = await memory.run(name, given, toolCallId);
      if (answer.ok) return answer.output;
      throw new HoldfastError(answer.code as ErrorCode, answer.text, { data: answer.data });
    },
    toModelOutput: ({ output }) => ({ type: "text", value: text ? text(output) : JSON.stringify(output) }),
  });
}
