import { isObject, objectIn, textIn } from "../../../engine/json.ts";
import { HoldfastError } from "../../../errors.ts";
import type { Session } from "../../../sessions/session.ts";
import type { ReadConversation } from "../../../surfaces/surface.ts";
import { packageVersion } from "../../../workspace/package.ts";
import type { PluginConversation } from "../../plugin/conversation.ts";

/** The SDK's transport to the program, as the Model Context Protocol defines it. */
interface Transport {
  onmessage?: ((message: never) => void) | undefined;
  start(): Promise<void>;
  send(message: never): Promise<void>;
}

export const serverName = "holdfast";

/** Before the name of each of memory's tools, as Claude Code calls it. */
export const toolPrefix = `mcp__${serverName}__`;

interface MemoryServerParts {
  session: Session;
  memory: PluginConversation;
  tools: Awaited<ReturnType<Session["tools"]>>;
  conversation: ReadConversation;
}

/** Answers the Model Context Protocol over the SDK's transport: memory's tools, and nothing else. */
export function memoryServer(parts: MemoryServerParts) {
  return {
    async connect(transport: Transport): Promise<void> {
      transport.onmessage = (message) => {
        void answer(parts, message).then((reply) => reply && transport.send(reply as never));
      };
      await transport.start();
    },
  };
}

/** The reply to a request; undefined for a notification. */
async function answer(parts: MemoryServerParts, message: unknown): Promise<object | undefined> {
  const { id, method, params } = objectIn(message);
  if (id === undefined || id === null) return undefined;
  const base = { jsonrpc: "2.0", id };
  try {
    const result = await resultOf(parts, textIn(method), objectIn(params));
    return { ...base, result };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { ...base, error: { code: -32_603, message: text } };
  }
}

async function resultOf(
  { session, memory, tools, conversation }: MemoryServerParts,
  method: string,
  params: Record<string, unknown>,
): Promise<object> {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: textIn(params.protocolVersion),
        capabilities: { tools: {} },
        serverInfo: { name: "holdfast", version: packageVersion() },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: tools.map(({ surface: _surface, ...tool }) => tool) };
    case "tools/call": {
      const [name, input] = [textIn(params.name), isObject(params.arguments) ? params.arguments : {}];
      // Claude Code names the model's call; without a name the call is a new one.
      const id = textIn(objectIn(params._meta)["claudecode/toolUseId"]) || crypto.randomUUID();
      const readOnly = tools.some((tool) => tool.name === name && tool.readOnly);
      const { ok, text } = await memory.call(session, { id, name, input, readOnly, conversation });
      return { content: [{ type: "text", text }], ...(ok ? {} : { isError: true }) };
    }
    default:
      throw new HoldfastError("invalid_input", `The memory has no method ${JSON.stringify(method)}.`);
  }
}
