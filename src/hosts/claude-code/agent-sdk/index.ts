import { Server } from "@modelcontextprotocol/server";
import { textIn } from "../../../engine/json.ts";
import { HoldfastError } from "../../../errors.ts";
import type { Session } from "../../../sessions/session.ts";
import { inPlugin, type ReadConversation } from "../../../surfaces/surface.ts";
import { packageVersion } from "../../../workspace/package.ts";
import { PluginConversation } from "../../plugin/conversation.ts";
import { readTranscripts } from "../../transcript/past-conversation.ts";
import { claudeCode } from "../host.ts";
import { AgentSdkHooks, type HookInput } from "./hooks.ts";

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
  const server = () => memoryServer({ session, memory, tools, conversation });
  // The SDK types this as its own class, and only connects it: once for each conversation.
  const instance = { connect: (transport: Parameters<Server["connect"]>[0]) => server().connect(transport) };
  return {
    hooks: {
      SessionStart: matcher,
      UserPromptSubmit: matcher,
      PostToolUse: matcher,
      PreCompact: matcher,
      PostCompact: matcher,
      SessionEnd: matcher,
    },
    mcpServers: { [serverName]: { type: "sdk" as const, name: serverName, instance: instance as never } },
    allowedTools: tools.map(({ name }) => `mcp__${serverName}__${name}`),
  };
}

const serverName = "holdfast";

interface MemoryServerParts {
  session: Session;
  memory: PluginConversation;
  tools: Awaited<ReturnType<Session["tools"]>>;
  conversation: ReadConversation;
}

/** A server with memory's tools, and nothing else. */
function memoryServer({ session, memory, tools, conversation }: MemoryServerParts): Server {
  const server = new Server({ name: serverName, version: packageVersion() }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: tools.map(({ surface: _surface, inputSchema, ...tool }) => ({
      ...tool,
      inputSchema: { type: "object", ...inputSchema },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: input = {}, _meta = {} } }) => {
    // Claude Code names the model's call; without a name the call is a new one.
    const id = textIn(_meta["claudecode/toolUseId"]) || crypto.randomUUID();
    const readOnly = tools.some((tool) => tool.name === name && tool.readOnly);
    const { ok, text } = await memory.call(session, { id, name, input, readOnly, conversation });
    return { content: [{ type: "text", text }], ...(ok ? {} : { isError: true }) };
  });
  return server;
}
