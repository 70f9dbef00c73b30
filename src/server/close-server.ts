import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How long a request may still run once the server is to stop. */
const patience = 3_000;

/**
 * Follows a server's connections, so that it can be closed at once: those that wait for a request are cut, the others
 * when their answer is sent. Node would wait for connections that browsers open ahead and never use.
 */
export function closerOf(server: Server): () => Promise<void> {
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
    const timer = setTimeout(() => server.closeAllConnections(), patience);
    await closed;
    clearTimeout(timer);
  };
}
