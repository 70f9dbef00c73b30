import type { z } from "zod";
import type { Memory } from "../../sessions/memory.ts";
import type { Reply, RouteName, Routes } from "../api.ts";
import type { SessionDirectory } from "../directory.ts";
import type { EventHub } from "../events.ts";
import type { HostSessions } from "../host-sessions.ts";
import { ledgerHandlers } from "../ledger.ts";
import type { PriceOf } from "../money.ts";
import { type ProjectReader, projectHandlers } from "../project.ts";
import { statsHandlers } from "../stats.ts";
import type { TimeTravel } from "../time-travel.ts";
import { whereaboutsHandlers } from "../whereabouts.ts";
import { windowHandlers } from "../window.ts";
import { attentionHandlers } from "./attention.ts";
import { compactionHandlers } from "./compactions.ts";
import { journalHandlers } from "./journal.ts";
import { memoryHandlers } from "./memory.ts";
import { messageHandlers } from "./messages.ts";
import { noteHandlers } from "./notes.ts";
import { pinHandlers } from "./pins.ts";
import { sessionHandlers } from "./sessions.ts";

type Parsed<Name extends RouteName, Part extends string> =
  Routes[Name] extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

/** Handles a parsed request. */
export type Handler<Name extends RouteName> = (request: {
  params: Parsed<Name, "params">;
  query: Parsed<Name, "query">;
  body: Parsed<Name, "body">;
}) => Promise<Reply<Name>>;

export type Handlers = { [Name in RouteName]: Handler<Name> };

/** What the handlers need. */
export interface ServerContext {
  memory: Memory;
  directory: SessionDirectory;
  hub: EventHub;
  past: TimeTravel;
  /** Facts about the server itself. */
  about: { version: string; store: string; demo: boolean; startedAt: number };
  priceOf: PriceOf;
  project?: ProjectReader | undefined;
  /** The conversations that coding agents keep themselves. */
  hosts: HostSessions;
  /** Whether a reference names a file of the project, and whether that file still exists. */
  checkRef: (ref: string) => Promise<"present" | "stale" | "unchecked">;
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
    ...sessionHandlers(context),
    ...memoryHandlers(context),
    ...noteHandlers(context),
    ...pinHandlers(context),
    ...journalHandlers(context),
    ...messageHandlers(context),
    ...compactionHandlers(context),
    ...ledgerHandlers(context),
    ...windowHandlers(context),
    ...whereaboutsHandlers(context),
    ...attentionHandlers(context),
    ...statsHandlers(context),
    ...projectHandlers(context),
  };
}
