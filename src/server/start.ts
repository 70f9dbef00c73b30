import { randomBytes } from "node:crypto";
import type { Hono } from "hono";
import type { Memory } from "../sessions/memory.ts";
import { createApp } from "./app.ts";
import { SessionDirectory } from "./directory.ts";
import { EventHub } from "./events.ts";
import { createHandlers, type ServerContext } from "./handlers.ts";
import { type HostSessions, noHosts } from "./hosts.ts";
import { type Binding, listen } from "./listen.ts";
import type { PageFiles } from "./page.ts";
import type { ProjectReader } from "./project-files.ts";
import { refChecker } from "./project-files.ts";
import { SessionTree, sessionItem } from "./session-item.ts";
import { TimeTravel } from "./time-travel.ts";

export interface ServerOptions extends Binding {
  /** The server does not close it. */
  memory: Memory;
  /** The store's name on the page, without passwords. */
  storeName: string;
  version: string;
  page?: PageFiles | undefined;
  /** Handles /mcp. */
  mcp?: ((request: Request) => Promise<Response>) | undefined;
  project?: ProjectReader | undefined;
  /** Reads the conversations of coding agents. */
  hosts?: HostSessions | undefined;
  /** Where to look for referenced files, and nowhere else. */
  projectDirectory?: string | undefined;
  /** Whether the config offers the agents a memory type (default: all). */
  offers?: (surface: string) => boolean;
  demo?: boolean;
  log?: (line: string) => void;
  /** For tests: how many events a client can catch up on. */
  eventsKept?: number;
  /** For tests: receives the routes. */
  onApp?: (app: Pick<Hono, "routes">) => void;
}

export interface RunningServer {
  /** Where it listens, without the token. */
  url: string;
  token: string;
  port: number;
  /** A one-time address that opens the page and does not contain the token. */
  invite(): string;
  /** Ends open streams, lets running requests finish and frees the port. */
  stop(): Promise<void>;
}

/** Starts the inspector's server over an open memory. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { memory, version, page = new Map(), mcp, project, log = console.error } = options;
  const directory = new SessionDirectory(memory);
  const hub = new EventHub(memory, directory, options.eventsKept);
  const context: ServerContext = {
    memory,
    directory,
    hub,
    past: new TimeTravel(),
    about: { version, store: options.storeName, demo: options.demo ?? false },
    project,
    hosts: options.hosts ?? noHosts,
    checkRef:
      options.projectDirectory === undefined ? async () => "unchecked" : refChecker(options.projectDirectory),
    offers: options.offers ?? (() => true),
    clock: memory.setting.clock,
  };
  const handlers = createHandlers(context);
  await hub.start(async (id) => {
    const row = (await (await memory.findSession(id))?.state())?.row;
    return row ? sessionItem(context, row, new SessionTree(await directory.of("all"))) : null;
  });
  try {
    const { close, access, url } = await listen(options, (admitted) => {
      const app = createApp({ access: admitted, handlers, hub, version, mcp, page, log });
      options.onApp?.(app);
      return app;
    });
    const stop = async () => {
      await hub.close();
      await close();
    };
    const invite = () => {
      const code = randomBytes(32).toString("base64url");
      access.codes.add(code);
      return `${url}?token=${code}`;
    };
    let stopping: Promise<void> | undefined;
    return { url, token: access.token, port: access.port(), invite, stop: () => (stopping ??= stop()) };
  } catch (error) {
    await hub.close();
    throw error;
  }
}
