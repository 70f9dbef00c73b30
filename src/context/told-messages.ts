import { isObject } from "../engine/json.ts";
import { resultText, type StoredMessage } from "./conversation.ts";

/** The result of a tool. */
export interface ToldResult {
  text: string;
  isError: boolean;
}

/** A part of a message that tells something; pictures, files and thoughts do not. */
export type ToldPart =
  | { type: "text"; text: string }
  | { type: "call"; tool: string; input: unknown; result: ToldResult | undefined }
  | { type: "result"; tool: string; input: unknown; result: ToldResult };

export interface ToldMessage {
  stored: StoredMessage;
  parts: ToldPart[];
}

/**
 * The messages as their parts, each call with its result. A caller or a host may have stored anything as content. Some servers
 * give every call the same id, so a result belongs to the earliest call of its id that has none yet.
 */
export function toldMessages(messages: readonly StoredMessage[]): ToldMessage[] {
  const open = new Map<string, Extract<ToldPart, { type: "call" }>[]>();
  return messages.map((stored) => {
    const content: unknown = stored.message?.content;
    const given = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const parts = (Array.isArray(given) ? given.filter(isObject) : []).flatMap((part): ToldPart[] => {
      const [id, tool] = [String(part.toolCallId ?? ""), String(part.toolName ?? "")];
      if (part.type === "text" && typeof part.text === "string") return [{ type: "text", text: part.text }];
      if (part.type === "tool-call") {
        const call = { type: "call" as const, tool, input: part.input, result: undefined };
        open.set(id, [...(open.get(id) ?? []), call]);
        return [call];
      }
      if (part.type !== "tool-result") return [];
      const output = isObject(part.output) ? part.output : {};
      const result = { text: outputText(output), isError: String(output.type ?? "").startsWith("error") };
      const call = open.get(id)?.shift();
      if (call) call.result = result;
      return [{ type: "result", tool: call?.tool ?? tool, input: call?.input, result }];
    });
    return { stored, parts };
  });
}

/** The text of a result; of a result with several parts, those that are text. */
function outputText(output: Record<string, unknown>): string {
  const { value } = output;
  if (!Array.isArray(value) || output.type !== "content") return resultText(output);
  return value
    .flatMap((part) => (isObject(part) && typeof part.text === "string" ? part.text : []))
    .join("\n");
}
