import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HoldfastError } from "../errors.ts";
import { type Route, type RouteName, routes } from "./api.ts";
import { eventStream } from "./event-stream.ts";
import type { EventHub } from "./events.ts";
import { type Access, guard, pathWithin } from "./guard.ts";
import type { Handlers } from "./handlers.ts";
import { describeApi } from "./openapi.ts";
import { type PageFiles, servePage } from "./page/page.ts";
import { readRequest } from "./read-request.ts";
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
