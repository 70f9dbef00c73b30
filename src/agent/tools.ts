import { asSchema, jsonSchema, type ModelMessage, type ToolSet, tool } from "ai";
import { callKey } from "../context/conversation.ts";
import type { FittedContext } from "../context/memory-share.ts";
import { cacheKindOf } from "../context/prompt-cache.ts";
import { schemaOf } from "../surfaces/dispatch.ts";
import type { CallResult, Tool } from "../surfaces/surface.ts";
import { dotless } from "../surfaces/toolbox.ts";
import { type ModelAnswer, providerOf } from "./call.ts";
import { cacheOf, type TurnRun } from "./run.ts";

/** Remembers what was made of an object. Lists of tools never change. */
function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}

/** The definitions of tools as the model receives them; "" without any. */
export const definitionsText = oncePer((tools: ToolSet): string => {
  const entries = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: asSchema(inputSchema).jsonSchema,
  }));
  return entries.length === 0 ? "" : JSON.stringify(entries);
});

/** Memory tools in the AI SDK's form, without dots in their names and without `execute`. */
export const memoryToolSet = oncePer(
  (tools: readonly Tool[]): ToolSet =>
    Object.fromEntries(
      tools.map(({ name, description, input }) => [
        dotless(name),
        tool({ description, inputSchema: jsonSchema(schemaOf(input, "input")) }),
      ]),
    ),
);

/** The tools that a warning turn offers: memory's, and where that saves money the agent's own, which are not run. */
export function warningTools(run: TurnRun): ToolSet {
  const memory = memoryToolSet(run.agent.tools);
  return cachesPrompts(run) ? { ...run.config.options.tools, ...memory } : memory;
}

/** A provider's cache begins with the tools: with others, it would read the whole prompt at the full price. */
export function cachesPrompts(run: TurnRun): boolean {
  return cacheOf(run) !== undefined && cacheKindOf(providerOf(run.model)) !== "none";
}

interface ToolRun extends TurnRun {
  calls: ModelAnswer["toolCalls"];
  /** The message that contains the calls. */
  message: number;
  /** The process died while these ran: memory tools are safe to run again, the state of other tools is unknown. */
  interrupted: boolean;
  /** Other tools are not run now, because the conversation is about to be compacted. */
  onlyMemory?: boolean;
  /** Tokens that each result may take in the prompt. */
  room: number;
}

/** Runs the model's tool calls in order and returns one message with all results. */
export async function runTools(run: ToolRun): Promise<ModelMessage> {
  const { calls, emit } = run;
  const answered: CallResult[] = [];
  for (const call of calls) {
    emit({ type: "tool-call", id: call.id, tool: call.tool, input: call.input });
    const result = await runOne(run, call, answered);
    emit({ type: "tool-result", id: call.id, tool: call.tool, ...result });
    answered.push(result);
  }
  return resultsMessage(calls, answered);
}

/** The message with the results of calls, in their order. */
export function resultsMessage(
  calls: readonly { id: string; tool: string }[],
  results: readonly CallResult[],
) {
  const content = results.flatMap(({ text, isError }, index) => {
    const call = calls[index];
    const type = isError ? ("error-text" as const) : ("text" as const);
    const output = { type, value: text };
    return call ? [{ type: "tool-result" as const, toolCallId: call.id, toolName: call.tool, output }] : [];
  });
  return { role: "tool" as const, content };
}

async function runOne(
  { agent, config, message, interrupted, onlyMemory, room, signal }: ToolRun,
  call: ModelAnswer["toolCalls"][number],
  answered: readonly CallResult[],
): Promise<CallResult> {
  if (signal.aborted)
    return {
      text: `${call.tool} was not run: the turn was aborted. Call it again if it is still needed.`,
      isError: true,
    };
  if (call.problem !== undefined) return { text: `${call.tool} was not run: ${call.problem}`, isError: true };
  const memoryTool = agent.tools.find(({ name }) => dotless(name) === dotless(call.tool));
  if (memoryTool) {
    const key = callKey(message, call.id, answered.length);
    // The answer is JSON, which takes a little more than the text in it.
    const options = { ...config.call, key, answered, signal, room: (room * 0.8) / config.tokenizer.ratio };
    const before = agent.context(await agent.session.state());
    const answer = await config.toolbox.dispatch(agent.session, call.tool, call.input, options);
    if (!answer.ok || memoryTool.readOnly) return { text: answer.text, isError: !answer.ok };
    const after = agent.context(await agent.session.state());
    return { text: withNotice(answer.text, outgrown(before, after)), isError: false };
  }
  if (onlyMemory)
    return {
      text: `${call.tool} was not run: until the compaction only your memory tools work. Save what you need; call it again afterwards.`,
      isError: true,
    };
  if (interrupted)
    return {
      text: `${call.tool} was interrupted by a restart. Check what it did before calling it again.`,
      isError: true,
    };
  return runOwn(config.options.tools ?? {}, call, signal);
}

/** Tells the agent when a write has made its memory too long to be shown whole. */
function outgrown(before: FittedContext, after: FittedContext): string {
  const known = new Set(before.shortened.map(({ surface }) => surface));
  return after.shortened
    .filter(({ surface, tokens }) => !known.has(surface) || tokens > sizeIn(before, surface))
    .map(
      ({ surface, tokens, shown, fitting }) =>
        `Saved, but the ${surface} now takes ${tokens} tokens and its share of the context window shows only ${shown} of them. Condense it to about ${fitting} characters to see all of it.`,
    )
    .join(" ");
}

function sizeIn({ shortened }: FittedContext, surface: string): number {
  return shortened.find((block) => block.surface === surface)?.tokens ?? 0;
}

/** Adds a notice to an answer, inside it if it is a JSON object. */
function withNotice(text: string, notice: string): string {
  if (notice === "") return text;
  if (!text.startsWith("{") || !text.endsWith("}")) return `${text}\n${notice}`;
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}"notice":${JSON.stringify(notice)}}`;
}

async function runOwn(
  tools: ToolSet,
  call: ModelAnswer["toolCalls"][number],
  signal: AbortSignal,
): Promise<CallResult> {
  const execute = Object.hasOwn(tools, call.tool) ? tools[call.tool]?.execute : undefined;
  if (!execute)
    return {
      text: `There is no tool ${JSON.stringify(call.tool)}. The tools are: ${Object.keys(tools).join(", ")}.`,
      isError: true,
    };
  try {
    const work: unknown = execute(call.input, {
      toolCallId: call.id,
      messages: [],
      abortSignal: signal,
      context: undefined as never,
    });
    const output = await unlessAborted(isIterable(work) ? lastOf(work) : work, signal);
    return { text: typeof output === "string" ? output : JSON.stringify(output ?? null), isError: false };
  } catch (error) {
    if (signal.aborted)
      return { text: `${call.tool} was aborted. Check what it did before calling it again.`, isError: true };
    return {
      text: `${call.tool} failed: ${error instanceof Error ? error.message : String(error)}`,
      isError: true,
    };
  }
}

function isIterable(work: unknown): work is AsyncIterable<unknown> {
  return typeof work === "object" && work !== null && Symbol.asyncIterator in work;
}

/** A tool may yield progress; the last value is its result. */
async function lastOf(work: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const part of work) last = part;
  return last;
}

/** Rejects on abort without waiting for work that ignores the signal. */
export async function unlessAborted<T>(work: T, signal: AbortSignal): Promise<Awaited<T>> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
