import { type LanguageModel, type LanguageModelMiddleware, type ToolSet, wrapLanguageModel } from "ai";
import { checkAgentOptions } from "../../agent/options.ts";
import { typeName } from "../../engine/check-fields.ts";
import { HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import { CallerMemory } from "../caller/caller-memory.ts";
import {
  type CompactionOptions,
  compactionKinds,
  type PlacementOptions,
  placementKinds,
  type ToolOptions,
  toolKinds,
} from "../caller/options.ts";
import { forOwnCalls, memoryMiddleware, type PrepareStep, prepareStepFor, type Step } from "./middleware.ts";
import { executableTools, followAuthoredTools } from "./tools.ts";

export type { AgentEvent } from "../../agent/events.ts";
export { holdfastEnd } from "../caller/caller-memory.ts";
export type { CompactionOptions, PlacementOptions, ToolOptions } from "../caller/options.ts";
export type { PrepareStep, Step } from "./middleware.ts";

/** A model object from a provider; a model named by a string must be resolved first. */
export type Model = Parameters<typeof wrapLanguageModel>[0]["model"];

export interface HoldfastOptions<TOOLS extends ToolSet> extends CompactionOptions {
  model: Model;
  /** The agent's own tools; memory's are added to them. */
  tools?: TOOLS;
}

export interface PrepareStepOptions extends CompactionOptions {
  /** Answers warnings and writes summaries (default: the model of the step). */
  model?: LanguageModel;
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
  checkAgentOptions("holdfast", options, compactionKinds);
  const { session, model, tools, ...rest } = options;
  checkModel(model);
  const memory = new CallerMemory(session, { ...rest, ...(tools ? { tools } : {}) });
  const memoryTools = executableTools(memory);
  checkNames(tools ?? {}, memoryTools);
  const offered: ToolSet = { ...tools, ...memoryTools };
  const prepareStep = prepareStepFor(memory, () => model);
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
export function holdfastTools(session: Session, options: ToolOptions = {}): ToolSet {
  checkAgentOptions("holdfastTools", options, toolKinds);
  return executableTools(new CallerMemory(session, options));
}

/** Only placement: adds guidance, blocks and changes to each prompt on its way to the model. */
export function holdfastMiddleware(
  session: Session,
  options: PlacementOptions = {},
): LanguageModelMiddleware {
  checkAgentOptions("holdfastMiddleware", options, placementKinds);
  return memoryMiddleware(new CallerMemory(session, options), options);
}

/** Only compaction, for a model wrapped with `holdfastMiddleware`: pass the same surfaces and placement to both. */
export function holdfastPrepareStep(options: PrepareStepOptions): PrepareStep {
  checkAgentOptions("holdfastPrepareStep", options, compactionKinds);
  const { session, model, ...rest } = options;
  // The step's model includes the middleware, which must not treat a warning or a summary as a turn.
  return prepareStepFor(new CallerMemory(session, rest), (step) => model ?? forOwnCalls(step.model));
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
