import { z } from "zod";
import * as schemas from "./schemas.ts";
import * as history from "./schemas-history.ts";
import * as insight from "./schemas-insight.ts";

/** A route's request and response schemas. The server, its OpenAPI description and the page all derive from these. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `{name}` is a parameter. */
  path: string;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  response: z.ZodType;
  /** The 409 response to a conflicting edit. */
  conflict?: z.ZodType;
}

const sessionId = z.object({ id: z.string().min(1).max(128) });
const number = z.coerce.number<number>().pipe(z.int().min(0).max(Number.MAX_SAFE_INTEGER));
const limit = (standard: number, max: number) =>
  z.coerce.number<number>().pipe(z.int().min(1).max(max)).default(standard);
const offset = number.default(0);
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
      "Sessions, newest first; parent=none lists the roots of the tree, parent=ID a session's children",
    query: z.object({
      status: listedStatus.describe("all: active and archived"),
      agent: z.string().optional(),
      parent: z.string().optional(),
      offset,
      limit: limit(50, 200),
    }),
    response: schemas.sessionPage,
  },
  search: {
    method: "GET",
    path: "/api/search",
    summary:
      "Search the titles, notepads, plans, scratchpads, references, notes and messages of all sessions",
    query: z.object({
      q: z.string().min(1).max(1_000),
      status: listedStatus,
      limit: limit(30, 100),
      cursor: z.string().max(300).optional(),
    }),
    response: schemas.searchPage,
  },
  setStatus: {
    method: "PUT",
    path: "/api/sessions/{id}/status",
    summary: "Archive, delete or restore a session; a deleted session can be restored",
    params: sessionId,
    body: z.object({ status: schemas.sessionStatus }),
    response: schemas.done.extend({
      before: schemas.sessionStatus.describe("Set this status again to undo the change"),
    }),
  },
  memory: {
    method: "GET",
    path: "/api/sessions/{id}/memory",
    summary: "A session's current memory and its budgets",
    params: sessionId,
    response: schemas.sessionMemory,
  },
  editText: {
    method: "PUT",
    path: "/api/sessions/{id}/texts/{text}",
    summary: "Edit the notepad or a space as a person; merged with concurrent changes",
    params: sessionId.extend({ text: schemas.textName }),
    body: schemas.textEdit,
    response: schemas.textSaved,
    conflict: schemas.editConflict,
  },
  editRefs: {
    method: "POST",
    path: "/api/sessions/{id}/refs",
    summary: "Add or remove a reference as a person",
    params: sessionId,
    body: schemas.refEdit,
    response: schemas.done,
  },
  notes: {
    method: "GET",
    path: "/api/sessions/{id}/notes",
    summary: "Notes, newest first, filtered by tags or searched",
    params: sessionId,
    query: z.object({ q: z.string().max(1_000).default(""), tag: tagList, offset, limit: limit(50, 200) }),
    response: schemas.notePage,
  },
  tags: {
    method: "GET",
    path: "/api/sessions/{id}/tags",
    summary: "Tags by name, with their number of notes",
    params: sessionId,
    query: z.object({ offset, limit: limit(200, 1_000) }),
    response: schemas.tagPage,
  },
  addNote: {
    method: "POST",
    path: "/api/sessions/{id}/notes",
    summary: "Add a note as a person",
    params: sessionId,
    body: schemas.newNote,
    response: schemas.noteSaved,
  },
  editNote: {
    method: "PUT",
    path: "/api/sessions/{id}/notes/{note}",
    summary: "Edit a note as a person; merged with concurrent changes",
    params: sessionId.extend({ note: z.string().max(200) }),
    body: schemas.noteEdit,
    response: schemas.noteSaved,
    conflict: schemas.editConflict,
  },
  deleteNote: {
    method: "DELETE",
    path: "/api/sessions/{id}/notes/{note}",
    summary: "Delete a note; undo that revision to restore it",
    params: sessionId.extend({ note: z.string().max(200) }),
    response: schemas.done,
  },
  pins: {
    method: "GET",
    path: "/api/sessions/{id}/pins",
    summary: "What the user demands or forbids",
    params: sessionId,
    response: schemas.pinList,
  },
  pin: {
    method: "POST",
    path: "/api/sessions/{id}/pins",
    summary: "Pin a rule as a person",
    params: sessionId,
    body: schemas.newPin,
    response: schemas.pinSaved,
  },
  unpin: {
    method: "DELETE",
    path: "/api/sessions/{id}/pins/{pin}",
    summary: "Remove a pin",
    params: sessionId.extend({ pin: z.string().max(40) }),
    response: schemas.done,
  },
  journal: {
    method: "GET",
    path: "/api/sessions/{id}/journal",
    summary: "The journal, newest first, with the author of each entry",
    params: sessionId,
    query: z.object({
      before: number.optional().describe("Only entries older than this revision"),
      limit: limit(50, 200),
      only: z.enum(["all", "memory"]).default("all").describe("memory: without messages and bookkeeping"),
    }),
    response: history.journalPage,
  },
  entry: {
    method: "GET",
    path: "/api/sessions/{id}/journal/{revision}",
    summary: "One journal entry in full",
    params: sessionId.extend({ revision: number }),
    response: history.fullEntry,
  },
  memoryAt: {
    method: "GET",
    path: "/api/sessions/{id}/at/{revision}",
    summary: "The memory right after a revision",
    params: sessionId.extend({ revision: number }),
    query: z.object({ offset, limit: limit(50, 200) }),
    response: history.memoryAt,
  },
  undo: {
    method: "POST",
    path: "/api/sessions/{id}/undo",
    summary: "Undo the operation of a revision, as a person",
    params: sessionId,
    body: z.object({ revision: z.int().min(1) }),
    response: schemas.done.extend({ undone: z.int() }),
  },
  messages: {
    method: "GET",
    path: "/api/sessions/{id}/messages",
    summary: "The conversation (default: the newest page)",
    params: sessionId,
    query: z.object({ before: number.optional(), after: number.optional(), limit: limit(50, 200) }),
    response: history.messagePage,
  },
  message: {
    method: "GET",
    path: "/api/sessions/{id}/messages/{number}",
    summary: "One message in full",
    params: sessionId.extend({ number }),
    response: history.message,
  },
  compactions: {
    method: "GET",
    path: "/api/sessions/{id}/compactions",
    summary: "Compactions, newest first",
    params: sessionId,
    query: z.object({ before: number.optional(), limit: limit(20, 100) }),
    response: history.compactionPage,
  },
  compaction: {
    method: "GET",
    path: "/api/sessions/{id}/compactions/{epoch}",
    summary: "One compaction: warning turn, handoff, summary and receipt",
    params: sessionId.extend({ epoch: number }),
    response: history.compaction,
  },
  removedMessages: {
    method: "GET",
    path: "/api/sessions/{id}/compactions/{epoch}/messages",
    summary: "The messages that a compaction removed, from the session or from its host's transcript",
    params: sessionId.extend({ epoch: number }),
    query: z.object({ limit: limit(600, 2_000) }),
    response: history.removedMessages,
  },
  calls: {
    method: "GET",
    path: "/api/sessions/{id}/calls",
    summary: "Model calls, each with the parts of its context window (default: the newest page)",
    params: sessionId,
    query: z.object({ before: number.optional(), limit: limit(200, 500) }),
    response: history.modelCallPage,
  },
  call: {
    method: "GET",
    path: "/api/sessions/{id}/calls/{number}",
    summary:
      "The exact prompt of one model call, and what changed since the agent's last turn or another call",
    params: sessionId.extend({ number }),
    query: z.object({ against: number.optional().describe("Compare with this call") }),
    response: history.modelCallDetail,
  },
  piece: {
    method: "GET",
    path: "/api/sessions/{id}/pieces/{hash}",
    summary: "One piece of a prompt in full",
    params: sessionId.extend({ hash: z.string().regex(/^[A-Za-z0-9_-]{8,128}$/) }),
    response: history.piece,
  },
  window: {
    method: "GET",
    path: "/api/sessions/{id}/window",
    summary: "What the context window holds of what the agent wrote down: with memory, and without it",
    params: sessionId,
    query: z.object({ revision: number.optional().describe("At that revision (default: now)") }),
    response: insight.windowContent,
  },
  whereabouts: {
    method: "GET",
    path: "/api/sessions/{id}/whereabouts",
    summary: "Whether the agent still has a text: where it is, since when, and what it cost",
    params: sessionId,
    query: z.object({ q: z.string().min(1).max(2_000) }),
    response: insight.whereabouts,
  },
  attention: {
    method: "GET",
    path: "/api/sessions/{id}/attention",
    summary: "What a person should look at, each with what to do",
    params: sessionId,
    response: insight.attention,
  },
  stats: {
    method: "GET",
    path: "/api/stats",
    summary: "What memory did in the last days: writes, compactions survived, items put back",
    query: z.object({ days: limit(7, 366) }),
    response: insight.stats,
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
/** Data of the event `change` in `GET /api/events`. */
export type ChangeEvent = z.output<typeof history.changeEvent>;
/** Data of the events `hello` (the stream is open) and `reset` (events were missed: reload everything). */
export type StreamEvent = { launch: string };

export { errorReply } from "./schemas.ts";
export { changeEvent } from "./schemas-history.ts";
