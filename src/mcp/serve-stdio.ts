import type { Readable, Writable } from "node:stream";
import { serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type McpServerOptions } from "./server.ts";
import { StdioTransport } from "./stdio-transport.ts";

interface StdioConnection {
  /** Resolves when the client has disconnected. */
  closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client on a pair of streams, with `initialize` or, from 2026-07-28 on, without it. */
export function serveStdio(options: McpServerOptions, input: Readable, output: Writable): StdioConnection {
  const transport = new StdioTransport(input, output);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  transport.onended = resolve;
  serve(() => createMcpServer(options), { transport });
  return { closed, close: () => transport.close() };
}
