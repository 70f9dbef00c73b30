import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type McpServerOptions } from "./server.ts";

/** A longer message ends the connection. Shorter ones reach the tool, which names its own limit. */
const maxBufferSize = 24 * 1024 * 1024;

interface StdioConnection {
  /** Resolves when the client has disconnected. */
  closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client on a pair of streams, with `initialize` or, from 2026-07-28 on, without it. */
export function serveStdio(options: McpServerOptions, input: Readable, output: Writable): StdioConnection {
  const transport = new StdioServerTransport(input, output, { maxBufferSize });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { close } = serve(() => createMcpServer(options), {
    transport,
    onerror: ({ message }) => console.error(`holdfast mcp: ${message.replaceAll(/\s+/g, " ").slice(0, 300)}`),
  });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    resolve();
  };
  return { closed, close };
}
