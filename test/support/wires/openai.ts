import { createOpenAI } from "@ai-sdk/openai";
import { emptyMessage, type Wire, type WireAnswer, type WireMessage } from "./wire.ts";

interface Item {
  type?: string;
  role?: string;
  id?: string;
  content?: string | { type: string; text?: string; annotations?: unknown[] }[];
  encrypted_content?: string | null;
  call_id?: string;
  name?: string;
  arguments?: string;
  output?: string | { text?: string }[];
  status?: string;
  summary?: unknown[];
}

interface Body {
  instructions?: string;
  input: Item[];
  tools?: { name: string }[];
  prompt_cache_key?: string;
  temperature?: number;
  max_output_tokens?: number;
}

/** OpenAI's Responses API. The server keeps its items, and clients refer to them by id. */
export function openaiResponses(): Wire {
  const kept = new Map<string, Item>();
  const keep = (items: Item[]) => {
    for (const item of items) kept.set(item.id ?? "", item);
    return items;
  };
  return {
    name: "openai",
    model: (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "test" })("gpt-5"),
    isStreamed: (_, body) => body.stream === true,
    overflow: {
      status: 400,
      body: {
        error: {
          message:
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
          type: "invalid_request_error",
          param: "input",
          code: "context_length_exceeded",
        },
      },
    },
    read(raw) {
      const { input, tools = [], prompt_cache_key, temperature, max_output_tokens } = raw as unknown as Body;
      const items = input.map((item) => {
        if (item.type !== "item_reference") return item;
        const known = kept.get(item.id ?? "");
        if (!known) throw new Error(`Item with id '${item.id}' not found.`);
        return known;
      });
      const isSystem = ({ role }: Item) => role === "system" || role === "developer";
      return {
        system: items.filter(isSystem).map(textIn).join("\n\n"),
        tools: tools.map(({ name }) => name),
        messages: readMessages(items.filter((item) => !isSystem(item))),
        marks: [],
        cacheKey: prompt_cache_key,
        temperature,
        maxOutputTokens: max_output_tokens,
      };
    },
    whole: (answer, number) => ({
      id: `resp_${number}`,
      object: "response",
      created_at: 0,
      model: "gpt-5",
      output: keep(itemsOf(answer, number)),
      incomplete_details: answer.finish ? { reason: reasonOf(answer) } : null,
      usage: usageOf(answer),
    }),
    stream(answer, number) {
      const response = { id: `resp_${number}`, created_at: 0, model: "gpt-5" };
      const send = (type: string, rest: object) => ({ event: type, data: { type, ...rest } });
      return [
        send("response.created", { response }),
        ...keep(itemsOf(answer, number)).flatMap((item, output_index) => [
          send("response.output_item.added", { output_index, item: opening(item) }),
          ...(item.type === "message"
            ? [
                send("response.output_text.delta", {
                  item_id: item.id,
                  output_index,
                  content_index: 0,
                  delta: textIn(item),
                }),
              ]
            : []),
          ...(item.type === "function_call"
            ? [
                send("response.function_call_arguments.delta", {
                  item_id: item.id,
                  output_index,
                  delta: item.arguments,
                }),
              ]
            : []),
          send("response.output_item.done", { output_index, item }),
        ]),
        send(answer.finish ? "response.incomplete" : "response.completed", {
          response: {
            ...response,
            incomplete_details: answer.finish ? { reason: reasonOf(answer) } : null,
            usage: usageOf(answer),
          },
        }),
      ];
    },
  };
}

/** Consecutive items of one side are one message. */
function readMessages(items: readonly Item[]): WireMessage[] {
  const messages: WireMessage[] = [];
  for (const item of items) {
    const isUsers = item.role === "user" || item.type === "function_call_output";
    const role = isUsers ? "user" : "assistant";
    const last = messages.at(-1);
    const message = last?.role === role && item.role !== "user" ? last : emptyMessage(role);
    if (message !== last) messages.push(message);
    if (item.type === "reasoning") message.thinking.push(item.encrypted_content ?? "");
    else if (item.type === "function_call")
      message.calls.push({
        id: item.call_id ?? "",
        name: item.name ?? "",
        input: JSON.parse(item.arguments ?? ""),
      });
    else if (item.type === "function_call_output")
      message.results.push({ id: item.call_id ?? "", text: outputText(item.output) });
    else {
      message.texts.push(textIn(item));
      const parts = typeof item.content === "string" ? [] : (item.content ?? []);
      message.media.push(...parts.flatMap(({ type }) => (/image|file/.test(type) ? [type] : [])));
    }
  }
  return messages;
}

function textIn({ content }: Item): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("");
}

function outputText(output: Item["output"]): string {
  return typeof output === "string" ? output : (output ?? []).map(({ text }) => text ?? "").join("\n");
}

function itemsOf({ thinking, text, toolCalls = [] }: WireAnswer, number: number): Item[] {
  const reasoning = thinking && {
    type: "reasoning",
    id: `rs_${number}`,
    summary: [],
    encrypted_content: thinking.signature,
  };
  return [
    ...(reasoning ? [reasoning] : []),
    ...(text === undefined
      ? []
      : [
          {
            type: "message",
            id: `msg_${number}`,
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text, annotations: [] }],
          },
        ]),
    ...toolCalls.map(({ name, input }, index) => ({
      type: "function_call",
      id: `fc_${number}_${index}`,
      call_id: `call_${number}_${index}`,
      name,
      arguments: JSON.stringify(input),
      status: "completed",
    })),
  ];
}

function opening(item: Item): Item {
  if (item.type === "message") return { ...item, content: [] };
  return item.type === "function_call" ? { ...item, arguments: "" } : item;
}

function reasonOf({ finish }: WireAnswer): string {
  return finish === "length" ? "max_output_tokens" : "content_filter";
}

function usageOf({ usage = { input: 100, output: 10 } }: WireAnswer) {
  const { input, output, cacheRead = 0 } = usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
