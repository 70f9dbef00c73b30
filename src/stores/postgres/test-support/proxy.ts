import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CuttableProxy {
  port: number;
  /** Cuts a connection at the nth next chunk from that side; that chunk is lost. */
  cutAfter(side: "client" | "server", chunks: number): void;
  /** Silently drops all data on the existing connections. New connections work. */
  goSilent(): void;
  /** While true, no answer reaches a client, also on new connections. Messages from clients arrive. */
  mute: boolean;
  /** Becomes mute when a client sends this text. */
  muteAt: string | undefined;
  /** Cuts all connections; new ones go to this port. */
  moveTo(port: number): void;
  cuts: number;
  close(): Promise<void>;
}

/** A proxy to a server on loopback whose connections can be cut at a chosen moment. */
export async function startProxy(targetPort: number): Promise<CuttableProxy> {
  const pairs = new Set<{ client: Socket; server: Socket; silent: boolean }>();
  const remaining: { client: number; server: number } = {
    client: Number.POSITIVE_INFINITY,
    server: Number.POSITIVE_INFINITY,
  };
  let target = targetPort;
  const listener = createServer((client) => {
    const pair = { client, server: connect(target, "127.0.0.1"), silent: false };
    pairs.add(pair);
    const drop = () => {
      pair.client.destroy();
      pair.server.destroy();
      pairs.delete(pair);
    };
    for (const side of ["client", "server"] as const) {
      const [from, to] = side === "client" ? [pair.client, pair.server] : [pair.server, pair.client];
      from.on("data", (chunk) => {
        if (side === "client" && proxy.muteAt !== undefined && chunk.includes(proxy.muteAt))
          proxy.mute = true;
        if (pair.silent || (proxy.mute && side === "server")) return;
        if (--remaining[side] <= 0) {
          remaining[side] = Number.POSITIVE_INFINITY;
          proxy.cuts++;
          drop();
        } else to.write(chunk);
      });
      from.on("error", drop);
      from.on("close", () => !pair.silent && drop());
    }
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const cutAll = () => {
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
  };
  const proxy: CuttableProxy = {
    port: (listener.address() as AddressInfo).port,
    cuts: 0,
    mute: false,
    muteAt: undefined,
    cutAfter(side, chunks) {
      remaining[side] = chunks;
    },
    goSilent() {
      for (const pair of pairs) pair.silent = true;
    },
    moveTo(port) {
      target = port;
      cutAll();
    },
    async close() {
      listener.close();
      cutAll();
    },
  };
  return proxy;
}
