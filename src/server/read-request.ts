import type { Context } from "hono";
import { z } from "zod";
import { HoldfastError } from "../errors.ts";
import type { Route } from "./api.ts";

/** No valid request nests deeper; rejects bodies meant to exhaust the parser. */
const maxDepth = 32;

/** The parts of a request, each parsed by its schema. */
export interface RequestParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

export async function readRequest(context: Context, route: Route): Promise<RequestParts> {
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
  const text = await context.req.text();
  if (depthOf(text) > maxDepth) throw badRequest(`The body is nested more than ${maxDepth} levels deep.`);
  try {
    return JSON.parse(text) as unknown;
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

/** The nesting depth of lists and objects, measured before parsing. */
function depthOf(text: string): number {
  let depth = 0;
  let max = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (inString) {
      if (unit === backslash) index++;
      else if (unit === quote) inString = false;
    } else if (unit === quote) inString = true;
    else if (unit === openBracket || unit === openBrace) max = Math.max(max, ++depth);
    else if (unit === closeBracket || unit === closeBrace) depth--;
  }
  return max;
}

const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
