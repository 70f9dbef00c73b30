import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { serve } from "@hono/node-server";
import { type Memory, openMemory } from "../../src/index.ts";
import { createMcpHandler } from "../../src/mcp/http-handler.ts";
import { loadSurfaces } from "../../src/workspace/chosen-surfaces.ts";
import { findProject } from "../../src/workspace/project.ts";
import { temporaryDirectory } from "./temporary.ts";

/** The MCP handler on a real HTTP server; `?session=ID` in the URL selects the client's session. */
export async function startMcpEndpoint(
  context: TestContext,
  surfaceNames: readonly string[],
  store = "memory:",
  root = temporaryDirectory(),
): Promise<{ url: string; memory: Memory }> {
  const surfaces = await loadSurfaces(surfaceNames, { project: findProject(root), config: { values: {} } });
  const memory = await openMemory({ store, surfaces });
  const handler = createMcpHandler({
    surfaces,
    version: "0.0.0",
    openMemory: async () => memory,
    resolveSession: async (request) => new URL(request.url).searchParams.get("session") ?? "default",
  });
  const server = serve({ fetch: handler.handle, hostname: "127.0.0.1", port: 0 }) as Server;
  if (!server.listening) await once(server, "listening");
  context.after(async () => {
    await handler.close();
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
    await memory.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, memory };
}
