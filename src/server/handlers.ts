import type { z } from "zod";
import type { Memory } from "../sessions/memory.ts";
import type { Reply, RouteName, Routes } from "./api.ts";
import { callHandlers } from "./calls.ts";
import { compactionHandlers } from "./compactions.ts";
import type { SessionDirectory } from "./directory.ts";
import { editHandlers } from "./edits.ts";
import type { EventHub } from "./events.ts";
import { historyHandlers } from "./history.ts";
import type { HostSessions } from "./hosts.ts";
import { memoryHandlers } from "./memory.ts";
import type { ProjectReader } from "./project-files.ts";
import { searchSessions } from "./search.ts";
import { sessionHandlers } from "./sessions.ts";
import type { TimeTravel } from "./time-travel.ts";
import { whereHandlers } from "./where.ts";

type Parsed<Name extends RouteName, Part extends string> =
  Routes[Name] extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

/** Handles a parsed request. */
export type Handler<Name extends RouteName> = (request: {
  params: Parsed<Name, "params">;
  query: Parsed<Name, "query">;
  body: Parsed<Name, "body">;
}) => Promise<Reply<Name>>;

export type Handlers = { [Name in RouteName]: Handler<Name> };

/** The dependencies of the handlers. */
export interface ServerContext {
  memory: Memory;
  directory: SessionDirectory;
  hub: Pick<EventHub, "streams">;
  past: TimeTravel;
  /** Facts about the server itself. */
  about: { version: string; store: string; demo: boolean };
  project?: ProjectReader | undefined;
  /** The conversations that coding agents keep themselves. */
  hosts: HostSessions;
  /** Whether a reference names a file of the project, and whether that file still exists. */
  checkRef: (ref: string) => Promise<"present" | "stale" | "unchecked">;
  /** Whether the config offers the agents a memory type. */
  offers: (surface: string) => boolean;
  clock: () => number;
}

export function createHandlers(context: ServerContext): Handlers {
  return {
    health: async () => ({
      ok: true,
      ...context.about,
      project: (await context.project?.exists()) ?? false,
      streams: context.hub.streams,
    }),
    search: ({ query }) => searchSessions(context, query),
    ...sessionHandlers(context),
    ...memoryHandlers(context),
    ...editHandlers(context),
    ...historyHandlers(context),
    ...compactionHandlers(context),
    ...callHandlers(context),
    ...whereHandlers(context),
  };
}
