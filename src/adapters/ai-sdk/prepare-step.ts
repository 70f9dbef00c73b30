import type { Instructions, LanguageModel, ModelMessage } from "ai";
import { HoldfastError } from "../../errors.ts";
import { makeRoomForCall } from "../caller/plan-call.ts";
import type { Parts } from "./middleware.ts";

/** The fields of a `prepareStep` argument that we read. */
export interface Step {
  messages: ModelMessage[];
  steps: readonly unknown[];
  instructions?: Instructions | undefined;
  model: LanguageModel;
}

/** Never changes the step: the middleware drops compacted messages from the prompt. */
export type PrepareStep = (step: Step) => Promise<undefined>;

export interface StepParts extends Parts {
  /** Answers the warning and writes the summary. */
  modelOf: (step: Step) => LanguageModel;
}

/** Before each step: stores new messages, then clears, warns and compacts as needed. */
export function prepareStepFor({ agent, setting, emit, report, modelOf }: StepParts): PrepareStep {
  const never = new AbortController().signal;
  const { conversation } = agent;
  const signalOf = ({ steps }: Step) => (steps.length > 0 ? conversation.signal : undefined) ?? never;
  const prepare = async (step: Step) => {
    const { messages, steps, instructions } = step;
    if (steps.length > 0 && conversation.placed === 0) throw middlewareMissing();
    const base = textOf(instructions);
    const start = messages.findIndex(({ role }) => role !== "system");
    const conversationNow = start === -1 ? [] : messages.slice(start);
    const frame = { agent, setting, emit, base, model: modelOf(step), signal: signalOf(step) };
    await makeRoomForCall({ ...frame, messages: conversationNow });
  };
  return async (step) => {
    try {
      await agent.exclusive(() => prepare(step));
    } catch (error) {
      // The SDK handles aborts itself.
      if (!signalOf(step).aborted) report(error);
    }
    return undefined;
  };
}

function middlewareMissing(): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    "The model is not wrapped with holdfastMiddleware, so compacted messages would stay in its prompt. Use the model that holdfast() returns, or wrapLanguageModel({ model, middleware: holdfastMiddleware(session) }).",
  );
}

function textOf(instructions: Instructions | undefined): string {
  if (instructions === undefined || typeof instructions === "string") return instructions ?? "";
  return [instructions]
    .flat()
    .map(({ content }) => content)
    .join("\n\n");
}
