import { APICallError } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { tokensOf } from "../../../test/support/agent.ts";
import type { ScriptedRequest } from "../../testing/index.ts";

type CallOptions = MockLanguageModelV4["doStreamCalls"][number];
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

/** The mock's answer: text and tool calls, or a failure. */
export type MockAnswer =
  | { text?: string; toolCalls?: { name: string; input: unknown; id?: string }[] }
  | { fails: "overflow" | "other" };

/** An in-process model for runs that would be too slow over HTTP. It gets the same requests as the scripted server. */
export function mockModel(
  answerTo: (request: ScriptedRequest) => MockAnswer | Promise<MockAnswer>,
): MockLanguageModelV4 {
  let number = 0;
  const ask = async (options: CallOptions) => {
    const request = requestOf(options);
    const answer = await answerTo(request);
    if ("fails" in answer) throw failure(answer.fails);
    const usage = {
      inputTokens: {
        total: tokensOf(request),
        noCache: undefined,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: 10, text: undefined, reasoning: undefined },
    };
    const calls = (answer.toolCalls ?? []).map(({ name, input, id }) => ({
      type: "tool-call" as const,
      toolCallId: id ?? `call_${++number}`,
      toolName: name,
      input: JSON.stringify(input),
    }));
    const finishReason = {
      unified: calls.length > 0 ? ("tool-calls" as const) : ("stop" as const),
      raw: undefined,
    };
    return { text: answer.text ?? "", calls, usage, finishReason };
  };
  return new MockLanguageModelV4({
    doStream: async (options) => {
      const { text, calls, usage, finishReason } = await ask(options);
      const textParts: StreamPart[] =
        text === ""
          ? []
          : [
              { type: "text-start", id: "1" },
              { type: "text-delta", id: "1", delta: text },
              { type: "text-end", id: "1" },
            ];
      const chunks: StreamPart[] = [
        { type: "stream-start", warnings: [] },
        ...textParts,
        ...calls,
        { type: "finish", usage, finishReason },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
    doGenerate: async (options) => {
      const { text, usage, finishReason } = await ask(options);
      return { content: text === "" ? [] : [{ type: "text", text }], usage, finishReason, warnings: [] };
    },
  });
}

function failure(kind: "overflow" | "other"): APICallError {
  const message = kind === "overflow" ? "context_length_exceeded" : "the model is out of order";
  return new APICallError({
    message,
    statusCode: 400,
    url: "mock:",
    requestBodyValues: {},
    isRetryable: false,
  });
}

function requestOf({ prompt, tools = [] }: CallOptions): ScriptedRequest {
  const messages = prompt.flatMap((message): ScriptedRequest["messages"] => {
    if (message.role === "system") return [{ role: "system", content: message.content }];
    if (message.role === "tool") {
      return message.content.flatMap((part) =>
        part.type === "tool-result" && "value" in part.output
          ? [{ role: "tool", tool_call_id: part.toolCallId, content: String(part.output.value) }]
          : [],
      );
    }
    const content = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    const calls = message.content.flatMap((part) =>
      part.type === "tool-call"
        ? [{ id: part.toolCallId, function: { name: part.toolName, arguments: JSON.stringify(part.input) } }]
        : [],
    );
    return [{ role: message.role, content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
  });
  return {
    model: "mock",
    messages,
    tools: tools.flatMap((tool) =>
      tool.type === "function" ? [{ function: { name: tool.name, parameters: tool.inputSchema } }] : [],
    ),
  };
}
