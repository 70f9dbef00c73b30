import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Wire {
  port: number;
  /** Cuts every connection as soon as so many more pieces have come from that side; the last of them is lost. */
  cutAfter(side: "client" | "server", pieces: number): void;
  /** From now on nothing gets through on the connections there are, and nobody is told. New ones work. */
  goSilent(): void;
  cuts: number;
  close(): Promise<void>;
}

/** A wire to a server on loopback that can be cut at a chosen moment. */
export async function startProxy(targetPort: number): Promise<Wire> {
  const pairs = new Set<{ client: Socket; server: Socket; silent: boolean }>();
  const remaining: { client: number; server: number } = {
    client: Number.POSITIVE_INFINITY,
    server: Number.POSITIVE_INFINITY,
  };
  const listener = createServer((client) => {
    const pair = { client, server: connect(targetPort, "127.0.0.1"), silent: false };
    pairs.add(pair);
    const drop = () => {
      pair.client.destroy();
      pair.server.destroy();
      pairs.delete(pair);
    };
    for (const side of ["client", "server"] as const) {
      const [from, to] = side === "client" ? [pair.client, pair.server] : [pair.server, pair.client];
      from.on("data", (piece) => {
        if (pair.silent) return;
        if (--remaining[side] <= 0) {
          remaining[side] = Number.POSITIVE_INFINITY;
          proxy.cuts++;
          drop();
        } else to.write(piece);
      });
      from.on("error", drop);
      from.on("close", () => !pair.silent && drop());
    }
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const proxy: Wire = {
    port: (listener.address() as AddressInfo).port,
    cuts: 0,
    cutAfter(side, pieces) {
      remaining[side] = pieces;
    },
    goSilent() {
      for (const pair of pairs) pair.silent = true;
    },
    async close() {
      listener.close();
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
    },
  };
  return proxy;
}
