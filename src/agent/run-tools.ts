import type { ModelMessage, ToolSet } from "ai";
import { callKey } from "../context/conversation.ts";
import { dotless } from "../surfaces/toolbox.ts";
import type { AgentSession } from "./agent-session.ts";
import type { ModelAnswer } from "./call-model.ts";
import type { AgentEvent } from "./events.ts";
import type { AgentSetting } from "./setting.ts";

interface Outcome {
  text: string;
  isError: boolean;
}

export interface ToolRun {
  agent: AgentSession;
  setting: AgentSetting;
  calls: ModelAnswer["toolCalls"];
  /** The message that contains the calls. */
  message: number;
  /** The process died while these ran: memory tools are safe to run again, the state of other tools is unknown. */
  interrupted: boolean;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
}

/** Runs the model's tool calls in order and returns one message with all results. */
export async function runTools(run: ToolRun): Promise<ModelMessage> {
  const { calls, emit } = run;
  const parts = [];
  for (const [index, call] of calls.entries()) {
    emit({ type: "tool-call", id: call.id, tool: call.tool, input: call.input });
    const { text, isError } = await runOne(run, call, index);
    emit({ type: "tool-result", id: call.id, tool: call.tool, text, isError });
    parts.push({
      type: "tool-result" as const,
      toolCallId: call.id,
      toolName: call.tool,
      output: isError ? { type: "error-text" as const, value: text } : { type: "text" as const, value: text },
    });
  }
  return { role: "tool", content: parts };
}

async function runOne(
  { agent, setting, message, interrupted, signal }: ToolRun,
  call: ModelAnswer["toolCalls"][number],
  index: number,
): Promise<Outcome> {
  if (signal.aborted)
    return {
      text: `${call.tool} was not run: the turn was aborted. Call it again if it is still needed.`,
      isError: true,
    };
  if (agent.tools.some(({ name }) => dotless(name) === call.tool)) {
    const options = { key: callKey(message, call.id, index) };
    const callSetting = { ...setting.call, signal };
    const answer = await setting.toolbox.dispatch(agent.session, call.tool, call.input, options, callSetting);
    return { text: answer.text, isError: !answer.ok };
  }
  if (interrupted)
    return {
      text: `${call.tool} was interrupted by a restart. Check what it did before calling it again.`,
      isError: true,
    };
  if (call.problem !== undefined) return { text: `${call.tool} was not run: ${call.problem}`, isError: true };
  return runOwn(setting.options.tools ?? {}, call, signal);
}

async function runOwn(
  tools: ToolSet,
  call: ModelAnswer["toolCalls"][number],
  signal: AbortSignal,
): Promise<Outcome> {
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
