import type {
  LanguageModelV4,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { ModelMessage } from "ai";
import { type CallOptions, divide, toModelMessage } from "./messages.ts";

/** A call that Holdfast makes itself, for a warning turn or a summary. */
export interface OwnCall {
  system: string;
  messages: ModelMessage[];
  /** Empty if no tool may be called. */
  tools: { name: string; description: string; schema: Record<string, unknown> }[];
  maxTokens?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface OwnAnswer {
  text: string;
  calls: { id: string; name: string; input: unknown }[];
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}

/** A framework's model as the AI SDK's, so that warnings and summaries take the same path as everywhere else. */
export function frameworkModel(
  provider: string,
  modelId: string,
  complete: (call: OwnCall) => Promise<OwnAnswer>,
): LanguageModelV4 {
  const doGenerate = async (options: CallOptions) => resultOf(await complete(ownCall(options)));
  return {
    specificationVersion: "v4",
    provider,
    modelId,
    supportedUrls: {},
    doGenerate,
    doStream: async (options) => ({ stream: ReadableStream.from(partsOf(await doGenerate(options))) }),
  };
}

function ownCall({ prompt, tools = [], toolChoice, maxOutputTokens, abortSignal }: CallOptions): OwnCall {
  const { base, conversation } = divide(prompt);
  const offered = toolChoice?.type === "none" ? [] : tools;
  return {
    system: base,
    messages: conversation.map(toModelMessage),
    tools: offered.flatMap((tool) =>
      tool.type === "function"
        ? [{ name: tool.name, description: tool.description ?? "", schema: { ...tool.inputSchema } }]
        : [],
    ),
    maxTokens: maxOutputTokens,
    signal: abortSignal,
  };
}

function resultOf({ text, calls, inputTokens, outputTokens }: OwnAnswer): LanguageModelV4GenerateResult {
  return {
    content: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map(({ id, name, input }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input: JSON.stringify(input ?? {}),
      })),
    ],
    finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: inputTokens, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
    },
    warnings: [],
  };
}

function partsOf({
  content,
  finishReason,
  usage,
}: LanguageModelV4GenerateResult): LanguageModelV4StreamPart[] {
  const parts = content.flatMap((part): LanguageModelV4StreamPart[] => {
    if (part.type === "tool-call") return [part];
    if (part.type !== "text") return [];
    return [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: part.text },
      { type: "text-end", id: "0" },
    ];
  });
  return [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
}
