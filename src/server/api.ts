import { z } from "zod";
import * as schemas from "./schemas.ts";

/** A route's request and response schemas. The server, its OpenAPI description and the page all derive from these. */
export interface Route {
  method: "GET" | "POST" | "PUT";
  /** `{name}` is a parameter. */
  path: string;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  response: z.ZodType;
  /** The 409 response to a conflicting edit. */
  conflict?: z.ZodType;
}

const params = z.object({ id: z.string().min(1).max(128) });
const number = z.coerce.number<number>().pipe(z.int().min(0).max(Number.MAX_SAFE_INTEGER));
const limit = (standard: number, max: number) =>
  z.coerce.number<number>().pipe(z.int().min(1).max(max)).default(standard);
const offset = number.default(0);
const flag = z
  .enum(["yes", "no"])
  .default("no")
  .transform((value) => value === "yes");
const listedStatus = z.enum(["active", "archived", "deleted", "all"]).default("active");
const tagList = z
  .union([z.string(), z.array(z.string())])
  .transform((tags) => (typeof tags === "string" ? [tags] : tags))
  .default([])
  .describe("Repeatable; a note must have all of the tags");

export const routes = {
  health: {
    method: "GET",
    path: "/api/health",
    summary: "Server health: version, store and open event streams",
    response: schemas.health,
  },
  listSessions: {
    method: "GET",
    path: "/api/sessions",
    summary:
      "Sessions, newest first; parent=none lists those without a parent, parent=ID the children of one",
    query: z.object({
      status: listedStatus.describe("all: active and archived"),
      parent: z.string().optional(),
      offset,
      limit: limit(30, 200),
    }),
    response: schemas.sessionPage,
  },
  week: {
    method: "GET",
    path: "/api/week",
    summary: "Compactions of the last seven days, by day",
    response: schemas.week,
  },
  search: {
    method: "GET",
    path: "/api/search",
    summary: "Search the titles, memory and messages of all sessions",
    query: z.object({
      q: z.string().min(1).max(1_000),
      status: listedStatus,
      limit: limit(30, 100),
    }),
    response: schemas.searchPage,
  },
  setStatus: {
    method: "PUT",
    path: "/api/sessions/{id}/status",
    summary: "Archive, delete or restore a session; a deleted session can be restored",
    params,
    body: z.object({ status: schemas.sessionStatus }),
    response: schemas.statusSet,
  },
  session: {
    method: "GET",
    path: "/api/sessions/{id}",
    summary: "A session: its window, what needs a person, and its memory now or at a revision",
    params,
    query: z.object({ revision: number.optional().describe("Default: now") }),
    response: schemas.sessionMemory,
  },
  notes: {
    method: "GET",
    path: "/api/sessions/{id}/notes",
    summary: "Notes, newest first, filtered by tags or searched",
    params,
    query: z.object({
      q: z.string().max(1_000).default(""),
      tag: tagList,
      revision: number.optional().describe("As they were; without a search (default: now)"),
      offset,
      limit: limit(50, 200),
    }),
    response: schemas.notePage,
  },
  edit: {
    method: "POST",
    path: "/api/sessions/{id}/edits",
    summary: "Edit memory as a person; merged with concurrent changes",
    params,
    body: schemas.edit,
    response: schemas.edited,
    conflict: schemas.editConflict,
  },
  history: {
    method: "GET",
    path: "/api/sessions/{id}/history",
    summary: "Writes, warnings and compactions, newest first, with their authors and diffs",
    params,
    query: z.object({
      before: number.optional().describe("Only entries older than this revision"),
      limit: limit(50, 200),
      all: flag.describe("yes: messages and bookkeeping too"),
      full: flag.describe("yes: the whole of each change, for one entry"),
    }),
    response: schemas.historyPage,
  },
  compaction: {
    method: "GET",
    path: "/api/sessions/{id}/compactions/{epoch}",
    summary: "One compaction: its facts, the warning turn, the handoff and the summary as the model got them",
    params: params.extend({ epoch: number }),
    response: schemas.compaction,
  },
  messages: {
    method: "GET",
    path: "/api/sessions/{id}/messages",
    summary: "The conversation (default: its newest page), or the messages that a compaction removed",
    params,
    query: z.object({
      before: number.optional(),
      after: number.optional(),
      call: number.optional().describe("The conversation as of this model call (default: now)"),
      epoch: number.optional().describe("Of the compaction that removed them"),
      q: z.string().max(1_000).default("").describe("With `epoch`: only messages with this text"),
      limit: limit(50, 2_000),
      whole: flag.describe("yes: the parts in full"),
    }),
    response: schemas.messagePage,
  },
  calls: {
    method: "GET",
    path: "/api/sessions/{id}/calls",
    summary: "Model calls, each with the parts of its context window (default: the newest page)",
    params,
    query: z.object({ before: number.optional(), limit: limit(200, 500) }),
    response: schemas.callPage,
  },
  call: {
    method: "GET",
    path: "/api/sessions/{id}/calls/{number}",
    summary: "The exact prompt of one model call, and what changed since the agent's last turn",
    params: params.extend({ number }),
    query: z.object({ whole: number.optional().describe("Only the piece with this index, in full") }),
    response: schemas.callDetail,
  },
  where: {
    method: "GET",
    path: "/api/sessions/{id}/where",
    summary: "Where the agent has a text: in context, retrievable or lost; since when, and in which calls",
    params,
    query: z.object({ q: z.string().min(1).max(2_000) }),
    response: schemas.whereabout,
  },
  project: {
    method: "GET",
    path: "/api/project",
    summary: "The project's NOTES.md with the linter's findings",
    response: schemas.projectNotes,
  },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

/** A route's response; the page imports these as types only. */
export type Reply<Name extends RouteName> = z.output<Routes[Name]["response"]>;
/** A route's path parameters, as the caller sends them. */
export type Params<Name extends RouteName> = Routes[Name] extends { params: infer P extends z.ZodType }
  ? z.input<P>
  : undefined;
export type Query<Name extends RouteName> = Routes[Name] extends { query: infer Q extends z.ZodType }
  ? z.input<Q>
  : undefined;
export type Body<Name extends RouteName> = Routes[Name] extends { body: infer B extends z.ZodType }
  ? z.input<B>
  : undefined;

/** The body of every error response. */
export type ErrorReply = z.output<typeof schemas.errorReply>;
/** The 409 response to an edit that cannot be merged. */
export type EditConflict = z.output<typeof schemas.editConflict>;
export type SessionItem = z.output<typeof schemas.sessionItem>;
export type MessageView = Reply<"messages">["messages"][number];
/** Data of the event `change` in `GET /api/events`. */
export type ChangeEvent = z.output<typeof schemas.changeEvent>;
/** Data of the events `hello` (the stream is open) and `reset` (events were missed: reload everything). */
export type StreamEvent = { launch: string };

export { changeEvent, errorReply } from "./schemas.ts";
