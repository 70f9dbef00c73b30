import { HoldfastError } from "../../../errors.ts";
import type { Session } from "../../../sessions/session.ts";
import { inPlugin, type ReadConversation } from "../../../surfaces/surface.ts";
import { PluginConversation } from "../../plugin/conversation.ts";
import { readTranscripts } from "../../transcript/past-conversation.ts";
import { claudeCode } from "../host.ts";
import { AgentSdkHooks, type HookInput } from "./hooks.ts";
import { memoryServer, serverName, toolPrefix } from "./memory-server.ts";

export type { HookInput, HookOutput } from "./hooks.ts";

export interface HoldfastClaudeOptions {
  /** The memory of this conversation. */
  session: Session;
  /** Called with failures of memory, which never stop the agent (default: a warning on the console). */
  onError?: (error: Error) => void;
}

/**
 * Memory for a `query` of the Claude Agent SDK, inside your process: hooks that show the memory and keep it through
 * compactions, and memory's tools.
 *
 * @example
 * const memory = await holdfastClaude({ session });
 * for await (const message of query({ prompt, options: { ...memory, cwd } })) { … }
 */
export async function holdfastClaude({ session, onError }: HoldfastClaudeOptions) {
  if (!session) throw new HoldfastError("invalid_input", 'holdfastClaude needs a "session".');
  const report = (error: unknown) => {
    const failure = error instanceof Error ? error : new Error(String(error));
    if (onError) onError(failure);
    else console.warn(`holdfast: Memory failed; the agent continues without it: ${failure.message}`);
  };
  const memory = new PluginConversation();
  const tools = await session.tools(inPlugin());
  // The conversation is in the transcript that the hooks were last told of.
  const conversation: ReadConversation = async () =>
    hooks.transcript === "" ? undefined : readTranscripts([{ host: claudeCode, path: hooks.transcript }]);
  const hooks = new AgentSdkHooks({ session, memory, report });
  const matcher = [{ hooks: [(input: HookInput) => hooks.answer(input)] }];
  // The SDK types this as its own class, and only connects it.
  const instance = memoryServer({ session, memory, tools, conversation }) as never;
  return {
    hooks: {
      SessionStart: matcher,
      UserPromptSubmit: matcher,
      PostToolUse: matcher,
      PreCompact: matcher,
      PostCompact: matcher,
      SessionEnd: matcher,
    },
    mcpServers: { [serverName]: { type: "sdk" as const, name: serverName, instance } },
    allowedTools: tools.map(({ name }) => `${toolPrefix}${name}`),
  };
}
