import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from "@modelcontextprotocol/server";
import { defaultLimits } from "../engine/limits.ts";
import { quote } from "../engine/text.ts";
import type { Surface } from "../surfaces/surface.ts";
import { createToolbox, dotless, type ToolDescription } from "../surfaces/toolbox.ts";
import { Connection, type MemorySource, unavailable } from "./connection.ts";
import { projectAnswer, projectTool } from "./project-tools.ts";
import { handoffPrompt, prompts, recoverPrompt } from "./prompts.ts";
import { ProtocolServer } from "./protocol-server.ts";
import {
  listResources,
  listTemplates,
  parseResourceUri,
  type ResourceKind,
  readResource,
} from "./resources.ts";

export interface McpServerOptions extends MemorySource {
  /** Those that the memory is opened with. */
  surfaces: readonly Surface[];
  version: string;
}

/** A server for one client. It starts, and lists its tools, even where the memory cannot be opened. */
export function createMcpServer(options: McpServerOptions): Server {
  const { surfaces, version } = options;
  const server = new ProtocolServer(
    { name: "holdfast", title: "Holdfast", version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: {},
      },
      instructions: instructionsOf(surfaces),
    },
  );
  const tell = (sent: Promise<void>) => void sent.catch(() => undefined);
  const tools = followTools(surfaces, () => tell(server.sendToolListChanged()));
  const connection = new Connection(options, {
    resourceUpdated: (uri) => tell(server.sendResourceUpdated({ uri })),
    sessionChanged: () => tell(server.sendResourceListChanged()),
    memoryChanged: () => void connection.inOrder(() => tools.look(connection)),
  });
  server.onclose = () => void connection.close();
  handleTools(server, connection, tools);
  handleResources(server, connection);
  handlePrompts(server, connection, surfaces);
  return server;
}

/** Guidance of the surfaces, after the one thing to know when the context is gone: some hosts cut long texts. */
export function instructionsOf(surfaces: readonly Surface[]): string {
  const names = new Set(surfaces.flatMap(({ tools }) => tools.map((tool) => tool.name)));
  const readers = ["recover_context", "read_notepad", "list_notes"].filter((name) => names.has(name));
  const read =
    readers.length > 0 ? `call ${readers.join(" and ")} first` : "ask for the prompt recover first";
  return [
    `After a compaction, a /clear or a resume, ${read}: what you wrote down is still there, and the prompt "recover" gives all of it at once.`,
    ...surfaces.map((surface) => surface.guidance(defaultLimits)),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

interface ToolList {
  /** The tools as of now; those that never change when the memory cannot be reached. */
  list(connection: Connection): Promise<ToolDescription[]>;
  /** Looks whether an agent's own tools have changed since they were listed. */
  look(connection: Connection): Promise<void>;
  /** The protocol has an error of its own for a tool that does not exist. */
  refuseUnknown(name: string): void;
}

function followTools(surfaces: readonly Surface[], changed: () => void): ToolList {
  const fixed = createToolbox(surfaces, { limits: defaultLimits, countTokens: () => 0 }).describe();
  const comeAndGo = surfaces.some(({ extraTools }) => extraTools !== undefined);
  let listed: string | undefined;
  const list = async (connection: Connection) => {
    if (!comeAndGo) return fixed;
    try {
      return await (await connection.openSession()).tools();
    } catch {
      return fixed;
    }
  };
  return {
    list: async (connection) => {
      const now = await list(connection);
      listed = JSON.stringify(now);
      return now;
    },
    look: async (connection) => {
      if (!comeAndGo || listed === undefined) return;
      const now = JSON.stringify(await list(connection));
      if (now === listed) return;
      listed = now;
      changed();
    },
    refuseUnknown: (name) => {
      if (comeAndGo || fixed.some((tool) => tool.name === name || dotless(tool.name) === name)) return;
      const known = fixed.map((tool) => dotless(tool.name)).join(", ");
      throw invalid(`There is no tool ${quote(name)}. The tools are: ${known}.`);
    },
  };
}

function handleTools(server: Server, connection: Connection, tools: ToolList): void {
  server.setRequestHandler("tools/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return connection.inOrder(async () => ({ tools: (await tools.list(connection)).map(projectTool) }));
  });
  server.setRequestHandler("tools/call", ({ params }) =>
    connection.inOrder(async () => {
      tools.refuseUnknown(params.name);
      const answer = await connection.call(params.name, params.arguments ?? {});
      if (!answer.ok && answer.code === "unknown_tool") throw invalid(answer.text);
      await tools.look(connection);
      return projectAnswer(answer);
    }),
  );
}

function handleResources(server: Server, connection: Connection): void {
  server.setRequestHandler("resources/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return connection.inOrder(async () => {
      const id = await reach("resources/list", () => connection.sessionId());
      return { resources: listResources(id) };
    });
  });
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return { resourceTemplates: listTemplates() };
  });
  server.setRequestHandler("resources/read", ({ params: { uri } }) =>
    connection.inOrder(async () => {
      const { id, kind } = parse(uri);
      const [session, current] = await reach("resources/read", async () => [
        await connection.findSession(id),
        await connection.sessionId(),
      ]);
      if (!session && id !== current)
        throw new ResourceNotFoundError(uri, `There is no session ${quote(id)}. Ask for resources/list.`);
      return reach("resources/read", () => readResource(uri, kind, session));
    }),
  );
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) =>
    connection.inOrder(async () => {
      parse(uri);
      await reach("resources/subscribe", () => connection.subscribe(uri));
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
  const looksOutside = surfaces.some(({ refresh }) => refresh !== undefined);
  server.setRequestHandler("prompts/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return { prompts };
  });
  server.setRequestHandler("prompts/get", ({ params }) =>
    connection.inOrder(async () => {
      const names = prompts.map(({ name }) => name);
      if (!names.includes(params.name))
        throw invalid(`There is no prompt ${quote(params.name)}. The prompts are: ${names.join(", ")}.`);
      return reach(params.name, async () => {
        // What lies outside the session is there before anything was written to it.
        const session = await (looksOutside ? connection.openSession() : connection.findSession());
        return params.name === "recover"
          ? recoverPrompt(session, surfaces)
          : handoffPrompt(session, surfaces, params.arguments?.to);
      });
    }),
  );
}

/** Of resources and prompts there are no results that say what is wrong, so it is an error. */
async function reach<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InternalError, unavailable(what, error).text);
  }
}

function parse(uri: string): { id: string; kind: ResourceKind } {
  const parsed = parseResourceUri(uri);
  if (parsed) return { id: parsed.session, kind: parsed.kind };
  throw new ResourceNotFoundError(uri, `There is no resource ${quote(uri)}. Ask for resources/list.`);
}

/** Everything fits on one page, so a cursor cannot be ours. */
function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw invalid("There is one page only. Ask again without a cursor.");
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
