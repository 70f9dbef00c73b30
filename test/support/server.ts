import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { z } from "zod";
import { type Memory, openMemory } from "../../src/index.ts";
import {
  type Body,
  type Params,
  type Query,
  type Reply,
  type Route,
  type RouteName,
  routes,
} from "../../src/server/api.ts";
import { type RunningServer, type ServerOptions, startServer } from "../../src/server/start.ts";
import { surfaceNames } from "../../src/surfaces/surfaces.ts";
import { temporaryDirectory } from "./temporary.ts";

export interface TestServer {
  server: RunningServer;
  memory: Memory;
  /** The server's log. */
  log: string[];
  /** The SQLite file. */
  path: string;
}

/** A server on a free port over a real SQLite file; stops when the test ends. */
export async function startTestServer(
  context: TestContext,
  options: Partial<ServerOptions> & { path?: string } = {},
): Promise<TestServer> {
  const path = options.path ?? join(temporaryDirectory(), "memory.db");
  const memory = options.memory ?? (await openMemory({ store: path, surfaces: surfaceNames }));
  const log: string[] = [];
  const server = await startServer({
    storeName: "test",
    version: "1.2.3",
    port: 0,
    log: (line) => log.push(line),
    ...options,
    memory,
  });
  context.after(async () => {
    await server.stop();
    await memory.close();
  });
  return { server, memory, log, path };
}

type Request<Name extends RouteName> = {
  [Part in "params" | "query" | "body" as Part extends keyof (typeof routes)[Name]
    ? Part
    : never]: Part extends "params" ? Params<Name> : Part extends "query" ? Query<Name> : Body<Name>;
};

type Optional<T> = { [K in keyof T as K extends "query" ? never : K]: T[K] } & {
  query?: T extends { query: infer Q } ? Partial<Q> : never;
};

/** Calls a route and asserts that the response matches its schema exactly. */
export async function call<Name extends RouteName>(
  { url, token }: Pick<RunningServer, "url" | "token">,
  name: Name,
  request: Optional<Request<Name>> = {} as Optional<Request<Name>>,
): Promise<Reply<Name>> {
  const response = await send(url, token, name, request);
  const text = await response.text();
  assert.equal(response.status, 200, `${name}: ${text}`);
  return exactly(routes[name].response, JSON.parse(text)) as Reply<Name>;
}

/** Calls a route that must fail with this status and returns the error body. */
export async function refused<Name extends RouteName>(
  { url, token }: Pick<RunningServer, "url" | "token">,
  name: Name,
  request: Optional<Request<Name>>,
  status: number,
) {
  const response = await send(url, token, name, request);
  const body = (await response.json()) as { error: { code: string; message: string }; conflict?: unknown };
  assert.equal(response.status, status, JSON.stringify(body));
  return body;
}

function send(url: string, token: string, name: RouteName, request: object): Promise<Response> {
  const {
    params = {},
    query = {},
    body,
  } = request as Record<"params" | "query", Record<string, unknown>> & {
    body?: unknown;
  };
  const { method, path }: Route = routes[name];
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    encodeURIComponent(String(params[parameter])),
  );
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) =>
      [value].flat().map((each): [string, string] => [key, String(each)]),
    ),
  );
  return fetch(new URL(`${filledPath}?${search}`, url), {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Asserts that nothing is missing and nothing is there that the schema does not define. */
function exactly(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.parse(value);
  assert.deepEqual(value, parsed);
  return parsed;
}
