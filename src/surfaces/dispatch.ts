import { z } from "zod";
import { typeName } from "../engine/check-fields.ts";
import { hasMoreText } from "../engine/json.ts";
import { countCharacters, normaliseTexts, quote } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import { makeGuard } from "../secrets/guard.ts";
import type { Call, Tool } from "./surface.ts";
import type { ToolAnswer } from "./toolbox.ts";

/** Tools by every name a caller may use. */
export type ToolsByName = ReadonlyMap<string, Tool>;

/**
 * The single entry point for tool calls: parse, run, answer. It never throws because of the caller's input:
 * a refusal is an answer with the next step.
 */
export async function dispatch(
  tools: ToolsByName,
  name: string,
  input: unknown,
  call: Call,
): Promise<ToolAnswer> {
  try {
    const tool = tools.get(name);
    if (!tool) throw unknownTool(tools, name);
    const guard = call.guard ?? makeGuard();
    const parsed = parseInput(tool, input);
    if (hasMoreText(parsed, maxInput)) throw tooLarge(name);
    const { value, notice } = guard.clean(normaliseTexts(parsed));
    const output = guard.hide(await tool.run(call, value));
    const text = tool.text ? tool.text(output) : JSON.stringify(output);
    return notice === ""
      ? { ok: true, output, text }
      : { ok: true, output, text: `${text}\n${notice}`, notice };
  } catch (error) {
    const failure = error instanceof HoldfastError ? error : unexpected(name, error);
    return { ok: false, code: failure.code, text: failure.message, data: failure.data };
  }
}

/** Characters in one call. Every surface's own limits are far lower; this one is checked before anything reads the text. */
const maxInput = 16_000_000;

function tooLarge(tool: string): HoldfastError {
  return new HoldfastError(
    "over_limit",
    `${tool}: the input has more than ${maxInput.toLocaleString("en")} characters. Nothing was changed. Write less: what is needed later, and where the rest is.`,
    { data: { tool, limit: maxInput } },
  );
}

function parseInput(tool: Tool, input: unknown): Record<string, unknown> {
  const fields = input === undefined ? {} : input;
  const parsed = tool.input.safeParse(fields);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error, fields, Object.keys(tool.input.shape));
  throw new HoldfastError("invalid_input", `${tool.name}: ${problems.join("; ")}. Nothing was changed.`, {
    data: { tool: tool.name, problems },
  });
}

/** At most so many problems are listed. */
const maxProblems = 10;

/** The problems of an input, one text each. `fields`: the parameters that there are. */
export function problemsOf(error: z.ZodError, input: unknown, fields: readonly string[] = []): string[] {
  return error.issues.slice(0, maxProblems).map((issue) => describeIssue(issue, input, fields));
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown, fields: readonly string[]): string {
  const field = issue.path.map(String).join(".");
  switch (issue.code) {
    case "unrecognized_keys": {
      const takes = fields.length > 0 ? `it takes ${fields.join(", ")}` : "it takes no parameters";
      return issue.keys
        .map((key) => `unknown field ${quote(key)}; ${didYouMean(key, fields)}${takes}`)
        .join("; ");
    }
    case "invalid_type": {
      if (field === "") return `the input must be an object (got ${typeName(input)})`;
      const value = valueAt(input, issue.path);
      if (value === undefined) return `the parameter "${field}" is missing`;
      const got = issue.expected === "int" && typeof value === "number" ? value : typeName(value);
      return `"${field}" must be ${article(issue.expected)} (got ${got})`;
    }
    case "invalid_value": {
      const value = valueAt(input, issue.path);
      const allowed = issue.values.map((each) => JSON.stringify(each)).join(", ");
      if (value === undefined) return `the parameter "${field}" is missing; it is one of ${allowed}`;
      return `"${field}" must be one of ${allowed} (got ${JSON.stringify(value)?.slice(0, 100)})`;
    }
    case "too_small":
      return `"${field}" must ${boundText("at least", issue.minimum, valueAt(input, issue.path))}`;
    case "too_big":
      return `"${field}" must ${boundText("at most", issue.maximum, valueAt(input, issue.path))}`;
    default:
      return field === "" ? issue.message : `"${field}": ${issue.message}`;
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input);
}

/** The limit on a length or number, and the actual value. */
function boundText(bound: string, limit: number | bigint, value: unknown): string {
  if (typeof value === "string")
    return value === ""
      ? "not be empty"
      : `have ${bound} ${limit} characters (got ${countCharacters(value)})`;
  if (Array.isArray(value)) return `have ${bound} ${limit} items (got ${value.length})`;
  return `be ${bound} ${limit} (got ${JSON.stringify(value)})`;
}

function didYouMean(unknown: string, known: readonly string[]): string {
  const close = known.find(
    (name) =>
      name.toLowerCase() === unknown.toLowerCase() ||
      name.startsWith(unknown) ||
      unknown.startsWith(name) ||
      sameLetters(name, unknown),
  );
  return close ? `did you mean "${close}"? ` : "";
}

function sameLetters(a: string, b: string): boolean {
  return [...a].sort().join("") === [...b].sort().join("");
}

function article(type: string): string {
  if (type === "int") return "a whole number";
  return type === "array" || type === "object" ? `an ${type}` : `a ${type}`;
}

function unknownTool(tools: ToolsByName, name: string): HoldfastError {
  const known = [...new Set([...tools.values()].map((tool) => tool.name))].join(", ");
  return new HoldfastError(
    "unknown_tool",
    `There is no tool ${quote(name)}. The tools are: ${known || "none"}.`,
    {
      data: { tool: name },
    },
  );
}

function unexpected(name: string, error: unknown): HoldfastError {
  const message = error instanceof Error ? error.message : String(error);
  return new HoldfastError(
    "store_failed",
    `${name} failed: ${message}. Continue without it and try again later.`,
    { cause: error },
  );
}

/** Checks a parameter that is optional in the schema but required by this operation. */
export function required<T>(value: T | undefined, field: string, operation: string): T {
  if (value !== undefined) return value;
  throw new HoldfastError(
    "invalid_input",
    `The parameter "${field}" is missing: ${operation} needs it. Nothing was changed. Call again with "${field}".`,
    { data: { field, operation } },
  );
}

/** JSON Schema of a tool's input or output, in the form providers accept. */
export function schemaOf(shape: z.ZodObject, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { io });
  return schema;
}
