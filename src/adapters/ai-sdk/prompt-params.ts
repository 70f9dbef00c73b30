import type { ModelMessage } from "ai";
import {
  type CachedMessage,
  cacheKindOf,
  planCacheMarks,
  withCacheKey,
  withCacheMark,
} from "../../context/prompt-cache.ts";
import { isObject } from "../../engine/json.ts";
import { dotless } from "../../surfaces/toolbox.ts";
import type { CallOptions, PromptMessage } from "../caller/prompt-messages.ts";

export function toPromptMessage(message: ModelMessage): PromptMessage {
  if (message.role === "user" && typeof message.content === "string") {
    return { ...message, content: [{ type: "text", text: message.content }] };
  }
  return withObjects(message as PromptMessage);
}

/** Providers reject a call whose arguments are not an object; the SDK has answered such a call with an error. */
function withObjects(message: PromptMessage): PromptMessage {
  if (message.role !== "assistant") return message;
  const isMalformed = (part: (typeof message.content)[number]) =>
    part.type === "tool-call" && !isObject(part.input);
  if (!message.content.some(isMalformed)) return message;
  return {
    ...message,
    content: message.content.map((part) => (isMalformed(part) ? { ...part, input: {} } : part)),
  };
}

/** Asks the provider to cache the prompt; `summary` is the index of the summary among the messages. */
export function withPromptCache(
  params: CallOptions,
  provider: string,
  { session, summary }: { session: string; summary: number | undefined },
): CallOptions {
  const kind = cacheKindOf(provider);
  if (kind === "none") return params;
  if (kind === "key") {
    // These options are the caller's own and a text.
    const providerOptions = withCacheKey(params.providerOptions, session) as CallOptions["providerOptions"];
    return { ...params, ...(providerOptions ? { providerOptions } : {}) };
  }
  const { prompt, tools = [] } = params;
  const markable = tools.map((tool) => (tool.type === "function" ? tool : {}));
  const plan = planCacheMarks(prompt as CachedMessage[], markable, summary);
  return {
    ...params,
    prompt: prompt.map((message, at) => (plan.messages.has(at) ? withCacheMark(message) : message)),
    ...(plan.tools
      ? { tools: tools.map((tool, at) => (at === tools.length - 1 ? markTool(tool) : tool)) }
      : {}),
  };
}

function markTool(tool: NonNullable<CallOptions["tools"]>[number]): typeof tool {
  return tool.type === "function" ? withCacheMark(tool) : tool;
}

/** The name under which a called tool was offered: some models write `session.scratchpad` as the prompt does. */
export function offeredName(name: string, { tools = [] }: CallOptions): string {
  const plain = dotless(name);
  return plain !== name && tools.some((tool) => tool.name === plain) ? plain : name;
}
