import type { ModelMessage } from "ai";
import { tokensOf } from "../../../test/support/agent.ts";
import type { ScriptedAnswer, ScriptedRequest } from "../../testing/index.ts";
import { partsOf } from "../caller/messages.ts";

type Message = ScriptedRequest["messages"][number];

/** The request to a framework's model, in the form that scripts read. */
export function scriptedRequest(
  messages: readonly ModelMessage[],
  tools: readonly string[],
): ScriptedRequest {
  return {
    model: "scripted-model",
    messages: messages.flatMap((message): Message[] => {
      const { role, text, calls, results } = partsOf(message);
      if (role === "tool")
        return results.map(({ id, text: content }) => ({ role, content, tool_call_id: id }));
      const tool_calls = calls.map(({ id, name, input }) => ({
        id,
        function: { name, arguments: JSON.stringify(input) },
      }));
      return [{ role, content: text, ...(tool_calls.length > 0 ? { tool_calls } : {}) }];
    }),
    ...(tools.length > 0 ? { tools: tools.map((name) => ({ function: { name, parameters: {} } })) } : {}),
  };
}

/** An answer of a script, in the form that every framework's model can give. */
export function scriptedAnswer(answer: ScriptedAnswer, request: ScriptedRequest, number: number) {
  if ("hangUp" in answer) throw new Error("the connection broke");
  if ("status" in answer) throw Object.assign(new Error(answer.error), { status: answer.status });
  const { text = "", toolCalls = [], usage = { input: tokensOf(request), output: 20 } } = answer;
  return {
    text,
    calls: toolCalls.map(({ id = `call_${number}`, name, input }) => ({ id, name, input })),
    usage,
  };
}
