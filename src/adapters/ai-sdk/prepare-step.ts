import type { Instructions, LanguageModel, ModelMessage } from "ai";
import { makeRoom } from "../../agent/make-room.ts";
import { HoldfastError } from "../../errors.ts";
import type { Parts } from "./middleware.ts";

/** The fields of a `prepareStep` argument that we read. */
export interface Step {
  messages: ModelMessage[];
  steps: readonly { usage: { inputTokens: number | undefined } }[];
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
  let expected = 0;
  const prepare = async (step: Step) => {
    const { messages, steps, instructions } = step;
    if (steps.length > 0 && conversation.placed === 0) throw middlewareMissing();
    const reported = steps.at(-1)?.usage.inputTokens;
    if (reported !== undefined && expected > 0) setting.tokenizer.observe(expected, reported);
    const base = textOf(instructions);
    const start = messages.findIndex(({ role }) => role !== "system");
    await agent.follow(start === -1 ? [] : messages.slice(start), base, emit);
    const frame = { model: modelOf(step), base, steer: "" };
    const run = { ...frame, agent, setting, signal: signalOf(step), emit, isOver: () => false };
    await makeRoom(run, growthOf(steps));
    expected = (await agent.prompt({ base })).usage.total;
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

/** Growth of the prompt in the last step that made it grow. */
function growthOf(steps: Step["steps"]): number {
  const sizes = steps.flatMap(({ usage }) => usage.inputTokens ?? []);
  const growths = sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
  return growths.findLast((growth) => growth > 0) ?? 0;
}

function textOf(instructions: Instructions | undefined): string {
  if (instructions === undefined || typeof instructions === "string") return instructions ?? "";
  return [instructions]
    .flat()
    .map(({ content }) => content)
    .join("\n\n");
}
