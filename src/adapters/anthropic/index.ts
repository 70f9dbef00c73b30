import { type ErrorCode, HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import { ownEditsOf } from "../../sessions/own-edits.ts";
import type { Session } from "../../sessions/session.ts";
import type { ToolAnswer } from "../../surfaces/toolbox.ts";
import { answerCall, definitionsOf, type SurfaceChoice } from "../session-tools.ts";
import { runMemoryCommand } from "./memory-tool.ts";

export type { SurfaceChoice } from "../session-tools.ts";
export { type AnthropicMemoryOptions, anthropicMemory } from "./server-compaction.ts";

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

/** Anthropic's own memory tool: add it to your tools, and `handleToolUse` runs its commands on the session. */
export const anthropicMemoryTool = { type: "memory_20250818", name: "memory" } as const;

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
    const isMemoryTool = name === anthropicMemoryTool.name;
    const answer = isMemoryTool
      ? await runCommand(session, input, id)
      : await answerCall(session, name, input, id);
    if (!answer) continue;
    const failed = answer.ok ? {} : { is_error: true as const };
    blocks.push({ type: "tool_result", tool_use_id: id, content: answer.text, ...failed });
  }
  return blocks;
}

type Command = "view" | "create" | "str_replace" | "insert" | "delete" | "rename";

/** Handlers of the memory tool's commands for the SDK's `betaMemoryTool` and its tool runner. */
export function memoryToolHandlers(
  session: Session,
): Record<Command, (command: { command: string }) => Promise<string>> {
  const run = async (command: { command: string }): Promise<string> => {
    const answer = await runCommand(session, command);
    if (answer.ok) return answer.text;
    throw new HoldfastError(answer.code as ErrorCode, answer.text, { data: answer.data });
  };
  return { view: run, create: run, str_replace: run, insert: run, delete: run, rename: run };
}

async function runCommand(session: Session, input: unknown, id?: string): Promise<ToolAnswer> {
  const key = await ownEditsOf(session).keyOf(id, anthropicMemoryTool.name, input);
  return runMemoryCommand(session, input, key);
}
