import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { parseArguments } from "../caller/messages.ts";
import { answerCall, definitionsOf, type SurfaceChoice } from "../session-tools.ts";

export type { SurfaceChoice } from "../session-tools.ts";

/** A tool for chat completions. */
export interface ChatTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** A tool for the responses API. */
export interface ResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: false;
}

/** The fields of a chat completion's message that we read. */
export interface ChatMessage {
  tool_calls?: readonly { id: string; type: string; function?: { name: string; arguments: string } }[] | null;
}

/** The fields of a response that we read. */
export interface ResponseWithOutput {
  output: readonly { type: string; call_id?: string | null; name?: string | null; arguments?: unknown }[];
}

export interface ToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

export interface FunctionCallOutput {
  type: "function_call_output";
  call_id: string;
  output: string;
}

/** Memory's tools for `client.chat.completions.create({ tools })`. */
export async function openaiTools(
  source: Session | Memory,
  options: SurfaceChoice = {},
): Promise<ChatTool[]> {
  const definitions = await definitionsOf(source, options);
  return definitions.map(({ name, description, schema }) => ({
    type: "function",
    function: { name, description, parameters: schema },
  }));
}

/** Memory's tools for `client.responses.create({ tools })`. */
export async function openaiResponsesTools(
  source: Session | Memory,
  options: SurfaceChoice = {},
): Promise<ResponsesTool[]> {
  const definitions = await definitionsOf(source, options);
  // Strict schemas have no optional parameters, and most of memory's parameters are optional.
  return definitions.map(({ name, description, schema }) => ({
    type: "function",
    name,
    description,
    parameters: schema,
    strict: false,
  }));
}

/**
 * Runs the memory calls of a chat completion's message in order and returns the tool messages to append after it.
 * Calls of other tools are left to you.
 */
export async function handleToolCalls(session: Session, message: ChatMessage): Promise<ToolMessage[]> {
  const messages: ToolMessage[] = [];
  for (const { id, function: called } of message.tool_calls ?? []) {
    const content = called && (await answerText(session, called.name, called.arguments, id));
    if (content !== undefined) messages.push({ role: "tool", tool_call_id: id, content });
  }
  return messages;
}

/** The same for a response of the responses API: the items to put into the next `input`. */
export async function handleFunctionCalls(
  session: Session,
  response: ResponseWithOutput,
): Promise<FunctionCallOutput[]> {
  const items: FunctionCallOutput[] = [];
  for (const { type, call_id, name, arguments: given } of response.output) {
    if (type !== "function_call" || !call_id || !name) continue;
    const output = await answerText(session, name, String(given), call_id);
    if (output !== undefined) items.push({ type: "function_call_output", call_id, output });
  }
  return items;
}

async function answerText(
  session: Session,
  name: string,
  given: string,
  id: string,
): Promise<string | undefined> {
  const answer = await answerCall(session, name, parseArguments(given), id);
  return answer?.text;
}
