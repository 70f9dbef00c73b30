import type Anthropic from "@anthropic-ai/sdk";
import type { ModelMessage } from "ai";
import { partsOf } from "../../caller/messages.ts";

export function toParam(message: ModelMessage): Anthropic.Beta.BetaMessageParam {
  const { role, text, calls, results } = partsOf(message);
  if (role === "tool")
    return {
      role: "user",
      content: results.map(({ id, text: content, isError }) => ({
        type: "tool_result",
        tool_use_id: id,
        content,
        is_error: isError,
      })),
    };
  if (role !== "assistant") return { role: "user", content: text };
  const said = text === "" ? [] : [{ type: "text" as const, text }];
  const used = calls.map(({ id, name, input }) => ({ type: "tool_use" as const, id, name, input }));
  return { role, content: [...said, ...used] };
}
