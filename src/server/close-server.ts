import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How long running requests may take to finish after a stop, in milliseconds. */
const gracePeriod = 3_000;

/**
 * Tracks a server's connections so that it can close quickly: idle ones at once, busy ones after their response.
 * Node alone would wait for connections that browsers open in advance and never use.
 */
export function createCloser(server: Server): () => Promise<void> {
  const idle = new Set<Socket>();
  let isClosing = false;
  server.on("connection", (socket: Socket) => {
    idle.add(socket);
    socket.once("close", () => idle.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    idle.delete(socket);
    response.once("close", () => {
      if (isClosing) socket.destroySoon();
      else if (!socket.destroyed) idle.add(socket);
    });
  });
  return async () => {
    isClosing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of idle) socket.destroy();
    const timer = setTimeout(() => server.closeAllConnections(), gracePeriod);
    await closed;
    clearTimeout(timer);
  };
}
