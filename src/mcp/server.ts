import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { objectIn, textIn } from "../engine/json.ts";
import { defaultLimits, type Limits } from "../engine/limits.ts";
import { quote } from "../engine/text.ts";
import { callKeyOf } from "../surfaces/call-key.ts";
import { inHost, type Surface } from "../surfaces/surface.ts";
import { createToolbox, dotless, guidanceOf, type ToolDescription } from "../surfaces/toolbox.ts";
import { type Caller, Connection, type MemorySource, unavailable } from "./connection.ts";
import { projectAnswer, projectTool } from "./project-tools.ts";
import { handoffPrompt, prompts, recoverPrompt, showMemoryPrompt } from "./prompts.ts";
import {
  listResources,
  listTemplates,
  parseResourceUri,
  type ResourceKind,
  readResource,
  resourceKindsOf,
} from "./resources.ts";
import {
  appsExtension,
  memoryAppUri,
  readMemoryApp,
  rendersApps,
  showMemory,
  showMemoryTool,
} from "./show-memory.ts";

export interface McpServerOptions extends MemorySource {
  /** The surfaces that the memory is opened with. */
  surfaces: readonly Surface[];
  /** The limits that the memory is opened with (default: those of the library). */
  limits?: Limits | undefined;
  version: string;
  /** Further tools by name. They are not listed, so no agent sees them: a client's hooks call them. */
  unlisted?: Readonly<Record<string, (input: Record<string, unknown>) => Promise<string>>> | undefined;
}

/** A server for one client. It starts and lists its tools even if the memory cannot be opened. */
export function createMcpServer(options: McpServerOptions): Server {
  const { surfaces, version, limits = defaultLimits } = options;
  const server = new ProtocolServer(
    { name: "holdfast", title: "Holdfast", version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: {},
        extensions: appsExtension,
      },
      instructions: instructionsOf(surfaces, limits),
      cacheHints: cacheHintsOf(surfaces),
    },
  );
  /** A client that has disconnected misses the notification. */
  const notify = (sent: Promise<void>) => void sent.catch(() => undefined);
  const tools = trackTools(surfaces, limits, () => notify(server.sendToolListChanged()));
  const connection = new Connection(options, {
    resourceUpdated: (uri) => notify(server.sendResourceUpdated({ uri })),
    sessionChanged: () => notify(server.sendResourceListChanged()),
    memoryChanged: () => void connection.inOrder(() => tools.announceChanges(connection)),
  });
  server.onclose = () => void connection.close();
  handleTools(server, connection, tools, options.unlisted);
  handleResources(server, connection, resourceKindsOf(surfaces));
  handlePrompts(server, connection, surfaces);
  return server;
}

/** The tools that return memory. The guidance of the other surfaces names their tools. */
const readingTools = ["read_notepad", "session.scratchpad", "list_notes", "list_pins"];

/** How to recover, then the surfaces' guidance: some hosts truncate long instructions, so recovery comes first. */
export function instructionsOf(surfaces: readonly Surface[], limits: Limits = defaultLimits): string {
  const names = new Set(surfaces.flatMap(({ tools }) => tools.map((tool) => tool.name)));
  const readers = readingTools.filter((name) => names.has(name)).map(dotless);
  return [
    readers.length === 0
      ? ""
      : `If you do not see your memory after a compaction or a /clear, call ${readers.join(" and ")}: everything you saved is still there.`,
    guidanceOf(surfaces, { limits, presentation: inHost }),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** How long a client may keep a list, in milliseconds. The server announces an agent's own tools when they change. */
const listLifetime = 3_600_000;

function cacheHintsOf(surfaces: readonly Surface[]) {
  const lasting = { ttlMs: listLifetime, cacheScope: "private" as const };
  const changes = surfaces.some(({ extraTools }) => extraTools !== undefined);
  return {
    "server/discover": lasting,
    "prompts/list": lasting,
    "resources/templates/list": lasting,
    ...(changes ? {} : { "tools/list": lasting }),
  };
}

interface ToolList {
  /** The current tools; only the fixed ones if the memory is unavailable. */
  list(connection: Connection, caller: Caller): Promise<ToolDescription[]>;
  /** Notifies the client if an agent's own tools have changed since they were last listed. */
  announceChanges(connection: Connection): Promise<void>;
  isWrite(name: string): boolean;
  /** Throws the protocol's error for a tool that does not exist. */
  rejectUnknown(name: string): void;
}

function trackTools(surfaces: readonly Surface[], limits: Limits, changed: () => void): ToolList {
  const fixed = createToolbox(surfaces, { limits, countTokens: () => 0 }, inHost).describe();
  const isDynamic = surfaces.some(({ extraTools }) => extraTools !== undefined);
  let listed: string | undefined;
  const list = async (connection: Connection, caller?: Caller) => {
    if (!isDynamic) return fixed;
    try {
      return await (await connection.openSession(caller)).tools(inHost);
    } catch {
      return fixed;
    }
  };
  return {
    list: async (connection, caller) => {
      const now = await list(connection, caller);
      listed = JSON.stringify(now);
      return now;
    },
    announceChanges: async (connection) => {
      if (!isDynamic || listed === undefined) return;
      const now = JSON.stringify(await list(connection));
      if (now === listed) return;
      listed = now;
      changed();
    },
    isWrite: (name) => {
      const tool = fixed.find((each) => each.name === name || dotless(each.name) === name);
      // A tool that an agent authored is a program, which may run for long: nothing waits for it.
      return tool !== undefined && !tool.isProgram && !tool.readOnly;
    },
    rejectUnknown: (name) => {
      if (isDynamic || fixed.some((tool) => tool.name === name || dotless(tool.name) === name)) return;
      const known = fixed.map((tool) => dotless(tool.name)).join(", ");
      throw invalid(`There is no tool ${quote(name)}. Available tools: ${known}.`);
    },
  };
}

function handleTools(
  server: Server,
  connection: Connection,
  tools: ToolList,
  unlisted: McpServerOptions["unlisted"] = {},
): void {
  server.setRequestHandler("tools/list", ({ params }, context) => {
    rejectCursor(params?.cursor);
    const shown = rendersApps(capabilitiesOf(server, context)) ? [showMemoryTool] : [];
    return connection.afterWrites(async () => ({
      tools: [...(await tools.list(connection, callerOf(server, context))).map(projectTool), ...shown],
    }));
  });
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const hook = Object.hasOwn(unlisted, params.name) ? unlisted[params.name] : undefined;
    if (hook) return hook(params.arguments ?? {}).then((text) => ({ content: [{ type: "text", text }] }));
    const caller = callerOf(server, context);
    if (params.name === showMemoryTool.name)
      return connection.afterWrites(() => answerShowMemory(connection, caller));
    const isWrite = tools.isWrite(params.name);
    const answerCall = async () => {
      tools.rejectUnknown(params.name);
      const input = params.arguments ?? {};
      const key = await callKeyOf(callIdIn(params._meta), params.name, input);
      const answer = await connection.call(params.name, input, { caller, key });
      if (!answer.ok && answer.code === "unknown_tool") throw invalid(answer.text);
      await tools.announceChanges(connection);
      const result = projectAnswer(answer);
      if (!answer.ok || !readingTools.some((name) => dotless(name) === dotless(params.name))) return result;
      const earlier = await connection.earlierHint(caller);
      return earlier === ""
        ? result
        : { ...result, content: [...result.content, { type: "text" as const, text: earlier }] };
    };
    return isWrite ? connection.inOrder(answerCall) : connection.afterWrites(answerCall);
  });
}

/** Works in every client: one that renders no apps gets the text. */
async function answerShowMemory(connection: Connection, caller: Caller): Promise<CallToolResult> {
  try {
    const id = await connection.sessionId(caller);
    return await showMemory(id, await connection.findSession(id));
  } catch (error) {
    return projectAnswer(unavailable(showMemoryTool.name, error));
  }
}

/**
 * A client that repeats a call can say so: with an id in the call's `_meta` that is the same both times. Claude Code
 * sends `claudecode/toolUseId`, Codex `callId`; others nothing. A request's own id and its progress token are new each time.
 */
function callIdIn(meta: Record<string, unknown> | undefined): unknown {
  const name = Object.keys(meta ?? {}).find((each) =>
    /(?:^|\/)(?:idempotency_?key|tool_?use_?id|tool_?call_?id|call_?id)$/i.test(each),
  );
  return name === undefined ? undefined : meta?.[name];
}

function handleResources(server: Server, connection: Connection, kinds: readonly ResourceKind[]): void {
  server.setRequestHandler("resources/list", ({ params }, context) => {
    rejectCursor(params?.cursor);
    const caller = callerOf(server, context);
    return connection.afterWrites(async () => {
      const id = await orProtocolError("resources/list", () => connection.sessionId(caller));
      return { resources: listResources(id, kinds) };
    });
  });
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    rejectCursor(params?.cursor);
    return { resourceTemplates: listTemplates(kinds) };
  });
  server.setRequestHandler("resources/read", ({ params: { uri } }, context) => {
    if (uri === memoryAppUri) return readMemoryApp();
    return connection.afterWrites(async () => {
      const { id, kind } = parse(uri, kinds);
      const [session, current] = await orProtocolError("resources/read", async () => [
        await connection.findSession(id),
        await connection.sessionId(callerOf(server, context)),
      ]);
      if (!session && id !== current)
        throw new ResourceNotFoundError(uri, `There is no session ${quote(id)}. Call resources/list.`);
      return orProtocolError("resources/read", () => readResource(uri, kind, session));
    });
  });
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) =>
    connection.inOrder(async () => {
      parse(uri, kinds);
      await orProtocolError("resources/subscribe", () => connection.subscribe(uri));
      return {};
    }),
  );
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) =>
    connection.inOrder(async () => {
      connection.unsubscribe(uri);
      return {};
    }),
  );
}

function handlePrompts(server: Server, connection: Connection, surfaces: readonly Surface[]): void {
  const hasExternalData = surfaces.some(({ refresh }) => refresh !== undefined);
  server.setRequestHandler("prompts/list", ({ params }) => {
    rejectCursor(params?.cursor);
    return { prompts };
  });
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    connection.afterWrites(async () => {
      const names = prompts.map(({ name }) => name);
      if (!names.includes(params.name))
        throw invalid(`There is no prompt ${quote(params.name)}. Available prompts: ${names.join(", ")}.`);
      return orProtocolError(params.name, async () => {
        // Surfaces with external data, such as project notes, have content before anything is saved in the session.
        const caller = callerOf(server, context);
        const session = hasExternalData
          ? await connection.openSession(caller)
          : await connection.findSession(await connection.sessionId(caller));
        if (params.name === "show_memory")
          return showMemoryPrompt(await connection.sessionId(caller), session);
        return params.name === "recover"
          ? recoverPrompt(session, surfaces, await connection.earlierSession(caller))
          : handoffPrompt(session, surfaces, params.arguments?.to);
      });
    }),
  );
}

/** Newer clients introduce themselves in every request, older ones once. */
function callerOf(server: Server, { mcpReq: { envelope, _meta: meta = {} } }: ServerContext): Caller {
  const { name } = objectIn(objectIn(envelope)[CLIENT_INFO_META_KEY] ?? server.getClientVersion());
  return { client: textIn(name), meta };
}

/** Sent in every request, or once with `initialize`. */
function capabilitiesOf(server: Server, { mcpReq: { envelope } }: ServerContext): unknown {
  return objectIn(envelope)[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
}

/** Resources and prompts have no error results, so a failure becomes a protocol error. */
async function orProtocolError<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InternalError, unavailable(what, error).text);
  }
}

function parse(uri: string, kinds: readonly ResourceKind[]): { id: string; kind: ResourceKind } {
  const parsed = parseResourceUri(uri);
  if (parsed && kinds.includes(parsed.kind)) return { id: parsed.session, kind: parsed.kind };
  throw new ResourceNotFoundError(uri, `There is no resource ${quote(uri)}. Call resources/list.`);
}

/** Everything fits on one page, so no cursor is valid. */
function rejectCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw invalid("There is only one page. Repeat the request without a cursor.");
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

type Handler = Parameters<Server["_wrapHandler"]>[1];

/** The SDK's server, but a malformed request is an invalid-params error instead of an internal one. */
class ProtocolServer extends Server {
  /** Our handlers throw only `ProtocolError`, so any other error comes from the SDK's request validation. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        if (error instanceof ProtocolError && !/^Invalid \S+ request: \[/.test(error.message)) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, describe(method, error));
      }
    };
  }
}

interface Issue {
  path?: PropertyKey[];
  message?: string;
}

/** Renders the issues, which the SDK puts into the message as JSON, in one line. */
function describe(method: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  try {
    const issues = JSON.parse(message.slice(message.indexOf("["))) as Issue[];
    const problems = issues.map(
      ({ path = [], message: problem = "" }) => `${path.map(String).join(".")}: ${problem}`,
    );
    return `Invalid ${method} request: ${problems.join("; ")}.`;
  } catch {
    return `Invalid ${method} request: ${message}`;
  }
}
