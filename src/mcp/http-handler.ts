import {
  createMcpHandler as createStatelessHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Caller } from "./connection.ts";
import { createMcpServer, type McpServerOptions } from "./server.ts";

export interface McpHandlerOptions extends Omit<McpServerOptions, "resolveSession"> {
  /**
   * The session that a client works on. Called before each of its calls, always with the client's first request, and with
   * the id of its connection, unless its protocol has none.
   */
  resolveSession(request: Request, caller: Caller, connection: string | undefined): Promise<string>;
  /** Names allowed in `Host` and `Origin`. Default: the loopback names. */
  hostnames?: string[];
}

export interface McpHandler {
  /** Handles one Streamable HTTP request. The caller checks the token first. */
  handle(request: Request): Promise<Response>;
  close(): Promise<void>;
}

interface Client {
  transport: WebStandardStreamableHTTPServerTransport;
  /** The `Authorization` header it connected with; its id works only with the same header. */
  authorization: string | null;
}

/** Max connected clients; beyond it, the least recently used one is closed. */
const maxClients = 1_000;

/**
 * MCP over HTTP: each client gets its own server, identified by a random id. From 2026-07-28 on a client has no id and
 * names what it is in every request, so each request gets a server.
 */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  const clients = new Map<string, Client>();
  const hostnames = options.hostnames ?? localhostAllowedHostnames();
  const stateless = createStatelessHandler(
    ({ requestInfo }) => {
      const request = requestInfo ?? new Request("http://localhost/");
      return createMcpServer({
        ...options,
        resolveSession: (caller) => options.resolveSession(request, caller, undefined),
      });
    },
    { legacy: "reject" },
  );
  return {
    async handle(request) {
      const refusal =
        hostHeaderValidationResponse(request, hostnames) ?? originValidationResponse(request, hostnames);
      if (refusal) return refusal;
      const id = request.headers.get("mcp-session-id");
      if (id === null && !(await isLegacyRequest(request))) return stateless.fetch(request);
      if (id === null) return connectClient(request, options, clients);
      const client = clients.get(id);
      if (!client || client.authorization !== request.headers.get("authorization")) return unknownClient();
      // Move it to the end: the map is ordered by last use.
      clients.delete(id);
      clients.set(id, client);
      return client.transport.handleRequest(request);
    },
    async close() {
      await Promise.all([...clients.values()].map(({ transport }) => transport.close()));
    },
  };
}

/** A request without an id gets a new server, which is kept only if the request initializes it. */
async function connectClient(
  request: Request,
  options: McpHandlerOptions,
  clients: Map<string, Client>,
): Promise<Response> {
  const first = new Request(request.url, { headers: request.headers });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => {
      clients.set(id, { transport, authorization: request.headers.get("authorization") });
    },
  });
  transport.onclose = () => clients.delete(transport.sessionId ?? "");
  const server = createMcpServer({
    ...options,
    resolveSession: (caller) => options.resolveSession(first, caller, transport.sessionId),
  });
  await server.connect(transport);
  const response = await transport.handleRequest(request);
  if (transport.sessionId === undefined) await server.close();
  const [oldest] = clients.size > maxClients ? clients.values() : [];
  await oldest?.transport.close();
  return response;
}

function unknownClient(): Response {
  const error = { code: -32_001, message: "Unknown MCP session. Initialize a new one." };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 404 });
}
