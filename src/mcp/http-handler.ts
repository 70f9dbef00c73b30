import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createMcpServer, type McpServerOptions } from "./server.ts";
import { mostMessageBytes } from "./stdio-transport.ts";

export interface McpHandlerOptions extends Omit<McpServerOptions, "resolveSession"> {
  /** The session that the client who sent this request works on; asked before each call with the client's first request. */
  resolveSession(request: Request): Promise<string>;
  /** Names under which this server may be called, in `Host` and `Origin`; those of the loopback unless given. */
  hostnames?: string[];
}

export interface McpHandler {
  /** Answers one request of Streamable HTTP. Whoever mounts it checks the token first. */
  handle(request: Request): Promise<Response>;
  close(): Promise<void>;
}

interface Client {
  transport: WebStandardStreamableHTTPServerTransport;
  /** What it showed when it came; nobody else can use its id. */
  authorization: string | null;
}

/** Clients that may be connected at once; the one that was silent longest makes room. */
const mostClients = 1_000;

/** MCP over HTTP: each client gets a server of its own, found again by the random id that it was given. */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  const clients = new Map<string, Client>();
  const hostnames = options.hostnames ?? localhostAllowedHostnames();
  return {
    async handle(request) {
      const refusal =
        hostHeaderValidationResponse(request, hostnames) ?? originValidationResponse(request, hostnames);
      if (refusal) return refusal;
      const id = request.headers.get("mcp-session-id");
      if (id === null) return welcome(request, options, clients);
      const client = clients.get(id);
      if (!client || client.authorization !== request.headers.get("authorization")) return unknownClient();
      // The one that was used last stands last.
      clients.delete(id);
      clients.set(id, client);
      return client.transport.handleRequest(request);
    },
    async close() {
      await Promise.all([...clients.values()].map(({ transport }) => transport.close()));
    },
  };
}

/** Whoever comes without an id gets a server; it stays only if the request was to initialize it. */
async function welcome(
  request: Request,
  options: McpHandlerOptions,
  clients: Map<string, Client>,
): Promise<Response> {
  const first = new Request(request.url, { headers: request.headers });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    maxRequestBodySize: mostMessageBytes,
    onsessioninitialized: (id) => {
      clients.set(id, { transport, authorization: request.headers.get("authorization") });
    },
  });
  transport.onclose = () => clients.delete(transport.sessionId ?? "");
  const server = createMcpServer({ ...options, resolveSession: () => options.resolveSession(first) });
  await server.connect(transport);
  const response = await transport.handleRequest(request);
  if (transport.sessionId === undefined) await server.close();
  const [oldest] = clients.size > mostClients ? clients.values() : [];
  await oldest?.transport.close();
  return response;
}

function unknownClient(): Response {
  const error = { code: -32_001, message: "This session is not known here. Initialize a new one." };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 404 });
}
