import { createAnthropic } from "@ai-sdk/anthropic";
import { emptyMessage, type Wire, type WireAnswer, type WireMessage } from "./wire.ts";

interface Block {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string | Block[];
  source?: { media_type?: string };
  cache_control?: unknown;
}

interface Body {
  system?: Block[];
  tools?: { name: string; cache_control?: unknown }[];
  messages: { role: "user" | "assistant"; content: Block[] }[];
  temperature?: number;
  max_tokens?: number;
}

/** Anthropic's Messages API. */
export const anthropic: Wire = {
  name: "anthropic",
  model: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "test" })("claude-sonnet-4-5"),
  isStreamed: (_, body) => body.stream === true,
  overflow: {
    status: 400,
    body: {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 210213 tokens > 200000 maximum" },
    },
  },
  read(raw) {
    const { system = [], tools = [], messages, temperature, max_tokens } = raw as unknown as Body;
    const isMarked = ({ cache_control }: { cache_control?: unknown }) => cache_control !== undefined;
    return {
      system: system.map(({ text }) => text).join("\n\n"),
      tools: tools.map(({ name }) => name),
      messages: messages.map(({ role, content }) => readMessage(role, content)),
      marks: [
        ...(tools.some(isMarked) ? (["tools"] as const) : []),
        ...(system.some(isMarked) ? (["system"] as const) : []),
        ...messages.flatMap(({ content }, index) => (content.some(isMarked) ? [index] : [])),
      ],
      cacheKey: undefined,
      temperature,
      maxOutputTokens: max_tokens,
    };
  },
  whole(answer, number) {
    return {
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: blocksOf(answer, number),
      stop_reason: stopOf(answer),
      stop_sequence: null,
      usage: usageOf(answer),
    };
  },
  stream(answer, number) {
    const message = {
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usageOf(answer), output_tokens: 1 },
    };
    const send = (type: string, rest: object) => ({ event: type, data: { type, ...rest } });
    return [
      send("message_start", { message }),
      ...blocksOf(answer, number).flatMap((block, index) => [
        send("content_block_start", { index, content_block: opening(block) }),
        ...deltasOf(block).map((delta) => send("content_block_delta", { index, delta })),
        send("content_block_stop", { index }),
      ]),
      send("message_delta", {
        delta: { stop_reason: stopOf(answer), stop_sequence: null },
        usage: { output_tokens: usageOf(answer).output_tokens },
      }),
      send("message_stop", {}),
    ];
  },
};

function readMessage(role: WireMessage["role"], content: Block[]): WireMessage {
  const message = emptyMessage(role);
  for (const block of content) {
    if (block.type === "text") message.texts.push(block.text ?? "");
    else if (block.type === "thinking") message.thinking.push(block.signature ?? "");
    else if (block.type === "tool_use")
      message.calls.push({ id: block.id ?? "", name: block.name ?? "", input: block.input });
    else if (block.type === "tool_result")
      message.results.push({ id: block.tool_use_id ?? "", text: textOf(block.content) });
    else if (block.type === "image" || block.type === "document")
      message.media.push(block.source?.media_type ?? "");
  }
  return message;
}

function textOf(content: Block["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("\n");
}

function blocksOf({ thinking, text, toolCalls = [] }: WireAnswer, number: number): Block[] {
  return [
    ...(thinking ? [{ type: "thinking", thinking: thinking.text, signature: thinking.signature }] : []),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...toolCalls.map(({ name, input }, index) => ({
      type: "tool_use",
      id: `toolu_${number}_${index}`,
      name,
      input,
    })),
  ];
}

function opening(block: Block): Block {
  if (block.type === "tool_use") return { ...block, input: {} };
  return block.type === "thinking"
    ? { type: "thinking", thinking: "", signature: "" }
    : { type: "text", text: "" };
}

function deltasOf(block: Block): object[] {
  if (block.type === "tool_use")
    return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
  if (block.type === "text") return [{ type: "text_delta", text: block.text }];
  return [
    { type: "thinking_delta", thinking: block.thinking },
    { type: "signature_delta", signature: block.signature },
  ];
}

function stopOf({ finish, toolCalls = [] }: WireAnswer): string {
  if (finish === "length") return "max_tokens";
  if (finish === "refusal") return "refusal";
  return toolCalls.length > 0 ? "tool_use" : "end_turn";
}

/** Anthropic counts what is read from the cache and written to it in addition to the rest. */
function usageOf({ usage = { input: 100, output: 10 } }: WireAnswer) {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  };
}
