import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { HoldfastError } from "../errors.ts";
import { closerOf } from "./close-server.ts";
import type { Access } from "./guard.ts";

export interface Binding {
  /** Loopback unless given. */
  host?: string | undefined;
  /** This one and no other; without it, the standard port or the next free one. */
  port?: number | undefined;
  /** Random unless given; has to be given for another address than loopback. */
  token?: string | undefined;
}

const standardPort = 4747;
const portsTried = 50;
const shortestToken = 16;
const loopback = ["127.0.0.1", "::1", "localhost"];

/** A server that listens, and how to stop it. */
export interface Listening {
  /** Lets running requests finish, and frees the port. */
  close(): Promise<void>;
  access: Access;
  /** Without the token. */
  url: string;
}

/** Who may come in, decided before anything listens: beyond loopback only with a token that the user chose. */
export function chooseAccess({ host = "127.0.0.1", token }: Binding): Pick<Access, "token" | "hosts"> {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new HoldfastError("invalid_input", "A token is made of printable ASCII characters without spaces.");
  }
  if (token !== undefined && token.length < shortestToken) {
    throw new HoldfastError(
      "invalid_input",
      `The token has ${token.length} characters and needs at least ${shortestToken}. Choose a longer one.`,
    );
  }
  if (!loopback.includes(host) && token === undefined) {
    throw new HoldfastError(
      "invalid_input",
      `Other machines could reach the server at ${host}, so you have to choose the token: add --token TOKEN, with at least ${shortestToken} characters.`,
    );
  }
  return { token: token ?? randomBytes(32).toString("base64url"), hosts: namesOf(host) };
}

/** The names by which requests may call the server. */
function namesOf(host: string): string[] {
  const own = ["127.0.0.1", "localhost", "[::1]"];
  if (loopback.includes(host)) return own;
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const addresses = isEverywhere
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
  if (!server) throw cannotListen(host, standardPort, undefined);
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : inUrl(host);
  return { close: closerOf(server), access, url: `http://${shown}:${access.port()}/` };
}

/** The standard port and those after it; at last, any that is free. */
function nextPorts(): number[] {
  return [...Array.from({ length: portsTried }, (_, index) => standardPort + index), 0];
}

function cannotListen(host: string, port: number, cause: unknown): HoldfastError {
  const { code, message } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason: Record<string, string> = {
    EADDRINUSE: `Port ${port} is taken. Choose another with --port, or leave --port away to get a free one.`,
    EACCES: `Port ${port} needs more rights than this user has. Choose one above 1023.`,
    EADDRNOTAVAIL: `${host} is no address of this machine.`,
    ENOTFOUND: `${host} is no address of this machine.`,
  };
  return new HoldfastError(
    "invalid_input",
    reason[code ?? ""] ??
      `The server cannot listen at ${host}, port ${port}: ${message ?? "no port is free"}.`,
    { cause, data: { host, port } },
  );
}
