import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { answerCall, definitionsOf, type SurfaceChoice } from "../session-tools.ts";

export type { SurfaceChoice } from "../session-tools.ts";

/** A tool for `client.messages.create({ tools })`. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [field: string]: unknown };
}

/** The fields of a model message that we read. */
export interface MessageWithContent {
  content: readonly { type: string; id?: string; name?: string; input?: unknown }[];
}

export interface ToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
}

/** Memory's tools for `client.messages.create({ tools })`. */
export async function anthropicTools(
  source: Session | Memory,
  options: SurfaceChoice = {},
): Promise<AnthropicTool[]> {
  const definitions = await definitionsOf(source, options);
  return definitions.map(({ name, description, schema }) => ({
    name,
    description,
    input_schema: { ...schema, type: "object" },
  }));
}

/**
 * Runs the memory calls of a message in order and returns the tool_result blocks for the next user message.
 * Calls of other tools are left to you.
 */
export async function handleToolUse(
  session: Session,
  message: MessageWithContent,
): Promise<ToolResultBlock[]> {
  const blocks: ToolResultBlock[] = [];
  for (const { type, id, name, input } of message.content) {
    if (type !== "tool_use" || id === undefined || name === undefined) continue;
    const answer = await answerCall(session, name, input, id);
    if (!answer) continue;
    const failed = answer.ok ? {} : { is_error: true as const };
    blocks.push({ type: "tool_result", tool_use_id: id, content: answer.text, ...failed });
  }
  return blocks;
}
