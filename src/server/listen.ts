import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, isIP, type Socket } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { HoldfastError } from "../errors.ts";
import { type Access, Penalty } from "./guard.ts";

export interface Binding {
  /** Default: loopback. */
  host?: string | undefined;
  /** Listen on exactly this port (default: 4747, or the next free port). */
  port?: number | undefined;
  /** Default: random. Required for any address other than loopback. */
  token?: string | undefined;
  /** The longest that a wrong token waits, in milliseconds (default: 2000). */
  maxPenalty?: number | undefined;
}

const defaultPort = 4747;
const portsTried = 50;
const minTokenLength = 16;
const loopback = ["127.0.0.1", "::1", "localhost"];

/** A listening server. */
export interface Listening {
  /** Lets running requests finish and frees the port. */
  close(): Promise<void>;
  access: Access;
  /** Without the token. */
  url: string;
}

/** Validates the access rules before listening: any address other than loopback requires a token from the user. */
export function chooseAccess({ host = "127.0.0.1", token }: Binding): Pick<Access, "token" | "hosts"> {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new HoldfastError(
      "invalid_input",
      "The token must consist of printable ASCII characters without spaces.",
    );
  }
  if (token !== undefined && token.length < minTokenLength) {
    throw new HoldfastError(
      "invalid_input",
      `The token has ${token.length} characters; it needs at least ${minTokenLength}. Choose a longer one.`,
    );
  }
  if (!loopback.includes(host) && token === undefined) {
    throw new HoldfastError(
      "invalid_input",
      `Other machines can reach the server at ${host}, so you must choose the token: add --token-file FILE or set HOLDFAST_TOKEN, with at least ${minTokenLength} characters.`,
    );
  }
  return { token: token ?? randomBytes(32).toString("base64url"), hosts: namesOf(host) };
}

/** The host names that requests may use. */
function namesOf(host: string): string[] {
  const own = ["127.0.0.1", "localhost", "[::1]"];
  if (loopback.includes(host)) return own;
  const isAnyAddress = host === "0.0.0.0" || host === "::";
  const addresses = isAnyAddress
    ? [
        hostname(),
        ...Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []),
      ]
    : [host];
  return [...new Set([...own, ...addresses.map(inUrl)])];
}

function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

export async function listen(binding: Binding, makeApp: (access: Access) => Hono): Promise<Listening> {
  const { host = "127.0.0.1", port } = binding;
  let server: Server | undefined;
  const access: Access = {
    ...chooseAccess(binding),
    codes: new Set(),
    penalty: new Penalty(binding.maxPenalty),
    port: () => (server?.address() as AddressInfo | null)?.port ?? 0,
  };
  const app = makeApp(access);
  const candidates = port === undefined ? nextPorts() : [port];
  for (const candidate of candidates) {
    const attempt = createAdaptorServer({ fetch: app.fetch }) as Server;
    try {
      attempt.listen(candidate, host);
      await once(attempt, "listening");
      server = attempt;
      break;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (port !== undefined || (code !== "EADDRINUSE" && code !== "EACCES"))
        throw cannotListen(host, candidate, error);
    }
  }
  if (!server) throw cannotListen(host, defaultPort, undefined);
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : inUrl(host);
  return { close: createCloser(server), access, url: `http://${shown}:${access.port()}/` };
}

/** The default port, the ports after it, and finally any free port. */
function nextPorts(): number[] {
  return [...Array.from({ length: portsTried }, (_, index) => defaultPort + index), 0];
}

function cannotListen(host: string, port: number, cause: unknown): HoldfastError {
  const { code, message } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason: Record<string, string> = {
    EADDRINUSE: `Port ${port} is taken. Choose another with --port, or omit --port to get a free one.`,
    EACCES: `This user may not listen on port ${port}. Choose one above 1023.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine.`,
    ENOTFOUND: `${host} is not an address of this machine.`,
  };
  return new HoldfastError(
    "invalid_input",
    reason[code ?? ""] ??
      `The server cannot listen on ${host}, port ${port}: ${message ?? "no port is free"}.`,
    { cause, data: { host, port } },
  );
}

/** How long running requests may take to finish after a stop, in milliseconds. */
const gracePeriod = 3_000;

/**
 * Tracks a server's connections so that it can close quickly: idle ones at once, busy ones after their response.
 * Node alone would wait for connections that browsers open in advance and never use.
 */
function createCloser(server: Server): () => Promise<void> {
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
