import { z } from "zod";
import { changeEvent, errorReply, type Route, routes } from "./api.ts";

type Description = Record<string, unknown>;

/** The API as OpenAPI 3.1, generated from the schemas that the server parses with. */
export function describeApi(version: string): Description {
  const paths: Record<string, Description> = {};
  for (const [name, route] of Object.entries(routes) as [string, Route][]) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(name, route) };
  }
  paths["/api/events"] = { get: describeEvents() };
  return {
    openapi: "3.1.0",
    info: {
      title: "Holdfast",
      version,
      description: "Working memory for AI agents: the HTTP API of `holdfast serve`.",
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: jsonSchema(errorReply, "output"), Change: jsonSchema(changeEvent, "output") },
    },
  };
}

function describeRoute(
  name: string,
  { summary, params, query, body, response, conflict }: Route,
): Description {
  return {
    operationId: name,
    summary,
    parameters: [...parametersOf(params, "path"), ...parametersOf(query, "query")],
    ...(body ? { requestBody: { required: true, content: json(jsonSchema(body, "input")) } } : {}),
    responses: {
      200: { description: "Done", content: json(jsonSchema(response, "output")) },
      ...(conflict
        ? {
            409: {
              description: "Conflict: someone else changed the same text",
              content: json(jsonSchema(conflict, "output")),
            },
          }
        : {}),
      default: { description: "Refused", content: json({ $ref: "#/components/schemas/Error" }) },
    },
  };
}

function parametersOf(shape: z.ZodObject | undefined, place: "path" | "query"): Description[] {
  if (!shape) return [];
  const { properties = {}, required = [] } = jsonSchema(shape, "input") as {
    properties?: Record<string, Description>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema,
  }));
}

function describeEvents(): Description {
  return {
    operationId: "events",
    summary: "Live events: hello, change, reset",
    parameters: [{ name: "Last-Event-ID", in: "header", required: false, schema: { type: "string" } }],
    responses: {
      200: {
        description: "A stream; the data of a change event is #/components/schemas/Change",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
      default: { description: "Refused", content: json({ $ref: "#/components/schemas/Error" }) },
    },
  };
}

function json(schema: Description): Description {
  return { "application/json": { schema } };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Description {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
