import { type LanguageModel, type LanguageModelUsage, type ModelMessage, streamText, type ToolSet } from "ai";
import type { Prompt } from "../context/prompt.ts";
import type { AgentEvent } from "./events.ts";

export interface ModelAnswer {
  /** The model's text and tool calls, ready to be stored. */
  messages: ModelMessage[];
  text: string;
  toolCalls: { id: string; tool: string; input: unknown; problem?: string }[];
  reported: Extract<AgentEvent, { type: "usage" }>["reported"];
}

export interface ModelCall {
  model: LanguageModel;
  prompt: Prompt;
  tools: ToolSet;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
}

/** Calls the model once. Offers the tools but does not run them; the controller does. */
export async function callModel({ model, prompt, tools, signal, emit }: ModelCall): Promise<ModelAnswer> {
  let failure: unknown;
  const stream = streamText({
    model,
    instructions: prompt.system,
    messages: prompt.messages,
    tools: withoutExecution(tools),
    abortSignal: signal,
    onError: ({ error }) => {
      failure = error;
    },
  });
  const toolCalls: ModelAnswer["toolCalls"] = [];
  for await (const part of stream.fullStream) {
    if (part.type === "text-delta") emit({ type: "text", text: part.text });
    else if (part.type === "tool-call") {
      const problem = part.invalid
        ? String((part.error as Error | undefined)?.message ?? part.error)
        : undefined;
      toolCalls.push({
        id: part.toolCallId,
        tool: part.toolName,
        input: part.input,
        ...(problem ? { problem } : {}),
      });
    } else if (part.type === "error") failure = part.error;
    else if (part.type === "abort") failure = new DOMException("The turn was aborted.", "AbortError");
  }
  if (failure !== undefined) throw failure;
  const [usage, response, text] = await Promise.all([stream.usage, stream.response, stream.text]);
  return {
    // Keep only the model's messages: we answer calls that the SDK rejected ourselves.
    messages: response.messages.filter(({ role }) => role === "assistant"),
    text,
    toolCalls,
    reported: reportedBy(usage),
  };
}

/** The provider's counts. The SDK fills in 0 cached tokens where the provider reported none; that is not a count. */
export function reportedBy(usage: LanguageModelUsage): ModelAnswer["reported"] {
  const { inputTokens, outputTokens, inputTokenDetails, raw } = usage;
  const cached = inputTokenDetails.cacheReadTokens;
  const isFilledIn = cached === 0 && raw !== undefined && !/cache/i.test(JSON.stringify(raw));
  return { inputTokens, outputTokens, cachedTokens: isFilledIn ? undefined : cached };
}

/** The SDK runs every tool that has `execute`, so each call would run twice. */
export function withoutExecution(tools: ToolSet): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, { execute: _execute, ...offered }]) => [
      name,
      offered as ToolSet[string],
    ]),
  );
}

/** Whether a provider rejected a call because the prompt was too long. */
export function isOverflow(error: unknown): boolean {
  const seen = new Set<unknown>();
  for (
    let at = error;
    at instanceof Error && !seen.has(at);
    at = (at as { cause?: unknown; lastError?: unknown }).cause ?? (at as { lastError?: unknown }).lastError
  ) {
    seen.add(at);
    const {
      responseBody = "",
      data,
      statusCode,
    } = at as { responseBody?: string; data?: unknown; statusCode?: number };
    // Rate limit errors mention tokens too, but they call for waiting, not for a shorter prompt.
    if (
      statusCode !== 429 &&
      overflowWords.test(`${at.message} ${responseBody} ${JSON.stringify(data) ?? ""}`)
    )
      return true;
  }
  return false;
}

const overflowWords =
  /context[_ ]length[_ ]exceeded|maximum context|context (?:window|length|size)|prompt (?:is )?too long|input (?:is )?too long|too many (?:input )?tokens|exceeds? the (?:model|maximum|context)|request too large|token limit/i;
