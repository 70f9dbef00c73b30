import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { HoldfastError } from "../errors.ts";
import { type Route, type RouteName, routes } from "./api.ts";
import { type EventHub, eventStream } from "./events.ts";
import { type Access, guard, pathWithin } from "./guard.ts";
import type { Handlers } from "./handlers.ts";
import { describeApi } from "./openapi.ts";
import { type PageFiles, servePage } from "./page.ts";
import { refusalOf, refuse } from "./refusal.ts";

export interface AppParts {
  access: Access;
  handlers: Handlers;
  hub: EventHub;
  version: string;
  /** The MCP endpoint; without it the route answers 404. */
  mcp?: ((request: Request) => Promise<Response>) | undefined;
  page: PageFiles;
  /** Receives failures; never a token. */
  log: (line: string) => void;
}

/** Fits two texts of 32,000 characters with JSON escapes. */
const maxBodyBytes = 2_000_000;

/** The whole HTTP server. The guard is the first middleware, so it protects every route added below. */
export function createApp({ access, handlers, hub, version, mcp, page, log }: AppParts): Hono {
  const app = new Hono({ getPath: (request) => pathWithin(access, request) });
  app.use(guard(access));
  app.onError((error) => refusalOf(error, log));
  // The MCP endpoint enforces its own limit.
  app.use("/api/*", bodyLimit({ maxSize: maxBodyBytes, onError: () => tooLarge() }));
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    const handle = handlers[name] as (parts: unknown) => Promise<unknown>;
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (context) => {
      if (route.body && !isJson(context.req.header("Content-Type"))) return notJson();
      return context.json((await handle(await readRequest(context, route))) as object);
    });
  }
  app.get("/api/events", (context) => eventStream(hub, context.req.header("Last-Event-ID")));
  app.get("/openapi.json", (context) => context.json(describeApi(version)));
  app.all("/mcp", (context) => {
    if (!mcp) throw new HoldfastError("not_found", "This server has no MCP endpoint.");
    return mcp(context.req.raw);
  });
  app.all("/api/*", () => refuse(404, "not_found", "No such route. See /openapi.json."));
  app.get("*", (context) => servePage(page, context.req.path, context.req.raw));
  app.notFound(() => refuse(404, "not_found", "Nothing found here. See /openapi.json."));
  return app;
}

function isJson(type: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(type ?? "");
}

function notJson(): Response {
  return refuse(415, "invalid_input", "The body must be JSON, with Content-Type: application/json.");
}

function tooLarge(): Response {
  return refuse(
    413,
    "over_limit",
    `The body exceeds the limit of ${maxBodyBytes} bytes. Nothing was changed.`,
  );
}

/** The parts of a request, each parsed by its schema. */
export interface RequestParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

async function readRequest(context: Context, route: Route): Promise<RequestParts> {
  return {
    params: route.params && parse(route.params, context.req.param(), "path"),
    query: route.query && parse(route.query, queryOf(context), "query"),
    body: route.body && parse(route.body, await readJson(context), "body"),
  };
}

/** A repeated name becomes a list; the schema decides whether that is valid. */
function queryOf(context: Context): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(context.req.queries()).map(([name, values]) => {
      const [only = "", ...more] = values;
      return [name, more.length === 0 ? only : values];
    }),
  );
}

async function readJson(context: Context): Promise<unknown> {
  try {
    return JSON.parse(await context.req.text()) as unknown;
  } catch (error) {
    throw badRequest(`The body is not valid JSON: ${(error as Error).message}.`);
  }
}

function parse(schema: z.ZodType, value: unknown, part: string): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = z.prettifyError(parsed.error).slice(0, 1_000).toWellFormed();
  throw badRequest(`The ${part} of the request is invalid. ${problems}`);
}

function badRequest(problem: string): HoldfastError {
  return new HoldfastError("invalid_input", `${problem} Nothing was changed. See /openapi.json.`);
}
