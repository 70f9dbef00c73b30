import { z } from "zod";
import { isObject, type Json, objectIn } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { problemsOf } from "../dispatch.ts";
import type { SavedTool } from "../knowledge/operations.ts";
import type { SessionHandle } from "../session-handle.ts";
import { type AgentOf, agentKey, type Call, defineTool, type Tool } from "../surface.ts";

/** The output of every program: its value, and its log if there is one. */
export const programOutput = z.object({
  value: z.unknown().describe("What the program returned"),
  cut: z.boolean().optional().describe("The value was too long: this is the start of its JSON"),
  logs: z.string().optional(),
});

export type ProgramOutput = z.infer<typeof programOutput>;

/** Runs the code of a tool for a call. */
export type RunCode = (call: Call, name: string, code: string, input: unknown) => Promise<ProgramOutput>;

/** The tools that agents authored, as of the last refresh. */
export class AuthoredTools {
  readonly #run: RunCode;
  readonly #byAgent = new Map<string, readonly Tool[]>();

  constructor(run: RunCode) {
    this.#run = run;
  }

  of(agent: AgentOf): readonly Tool[] {
    return this.#byAgent.get(agentKey(agent)) ?? [];
  }

  /** Reloads the tools of the session's agent, without those whose schema is not accepted. */
  async refresh(session: SessionHandle): Promise<void> {
    const { row } = await session.state();
    const saved = await (await session.knowledge()).tools();
    const tools = saved.filter(({ schema }) => isAccepted(schema)).map((tool) => this.#make(tool));
    this.#byAgent.set(agentKey(row), tools);
  }

  #make({ name, description, schema }: SavedTool): Tool {
    return defineTool({
      name,
      description,
      // Shows the schema to providers but accepts any object: the newest version decides.
      input: z.looseObject({}).meta(objectIn(schema)),
      output: programOutput,
      destructive: true,
      isProgram: true,
      run: async (call, fields) => {
        const newest = await findTool(call.session, name);
        // Also fills in the schema's defaults.
        const parsed = z.fromJSONSchema(objectIn(newest.schema)).safeParse(fields);
        if (parsed.success) return this.#run(call, name, newest.code, parsed.data);
        throw mismatch(newest, problemsOf(parsed.error, fields), !isSame(newest.schema, schema));
      },
      text: programText,
    });
  }
}

export async function findTool(session: SessionHandle, name: string): Promise<SavedTool> {
  const tools = await (await session.knowledge()).tools();
  const found = tools.find((tool) => tool.name === name);
  if (found) return found;
  throw new HoldfastError(
    "not_found",
    `You have not made a tool ${JSON.stringify(name)}. Your tools are: ${tools.map((tool) => tool.name).join(", ") || "none"}.`,
    { data: { name } },
  );
}

function mismatch(
  { name, version, schema }: SavedTool,
  problems: readonly string[],
  hasChanged: boolean,
): HoldfastError {
  const change = hasChanged ? ` Version ${version} has another schema: ${JSON.stringify(schema)}` : "";
  return new HoldfastError("invalid_input", `${name}: ${problems.join("; ")}. It was not run.${change}`, {
    data: { tool: name, problems },
  });
}

function isSame(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A new tool may only replace the agent's own tool of that name. */
export function checkToolName({ taken = [] }: Call, name: string): void {
  if (!namePattern.test(name))
    throw new HoldfastError(
      "invalid_input",
      `${JSON.stringify(name.slice(0, 100))} is not a valid name for a tool. Use 1 to 64 letters, digits, dashes and underscores, starting with a letter. Nothing was changed.`,
      { data: { field: "name" } },
    );
  if (taken.includes(name))
    throw new HoldfastError(
      "duplicate_tool",
      `There is already a tool called "${name}" that you did not make. Choose another name. Nothing was changed.`,
      { data: { name } },
    );
}

export function programText({ value, cut, logs }: ProgramOutput): string {
  const text = cut ? String(value) : JSON.stringify(value ?? null);
  return logs ? `${text}\n\nLog:\n${logs}` : text;
}

/** Limits of numbers, texts and lists. */
const bounds = new Set([
  ...["minLength", "maxLength", "minItems", "maxItems"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
]);

/** Keywords that every provider accepts in a tool's schema. A pattern is not one of them: it can block the process. */
const keywords = new Set([
  ...["type", "title", "description", "default", "examples", "enum", "const", "format"],
  ...["properties", "required", "additionalProperties", "items", "anyOf", "oneOf", "allOf"],
  ...["deprecated", "$comment", "$id", "$schema"],
  ...bounds,
]);

/** Without a type, these check nothing. */
const typed = [...bounds, "properties", "required", "items", "format"];

const maxCharacters = 16_000;
const maxDepth = 10;

/** Refuses a schema that an authored tool cannot have. */
export function checkToolSchema(schema: Json): void {
  const text = JSON.stringify(schema) ?? "";
  if (text.length > maxCharacters)
    throw refused(`it has ${text.length} characters; the limit is ${maxCharacters}`);
  if (!isObject(schema) || schema.type !== "object") throw refused(`its "type" must be "object"`);
  for (const keyword of ["anyOf", "oneOf", "allOf"])
    if (keyword in schema)
      throw refused(`"${keyword}" is not allowed at the top level; put it into a property`);
  checkKeywords(schema, "", 0);
  try {
    z.fromJSONSchema(schema);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

function isAccepted(schema: Json): boolean {
  try {
    checkToolSchema(schema);
    return true;
  } catch {
    return false;
  }
}

function checkKeywords(schema: Json | undefined, path: string, depth: number): void {
  if (!isObject(schema)) return;
  const where = path === "" ? "" : ` at ${path}`;
  if (depth > maxDepth) throw refused(`it is more than ${maxDepth} levels deep${where}`);
  const { properties = {}, required = [], items, additionalProperties, anyOf, oneOf, allOf } = schema;
  const unsupported = Object.keys(schema).find((keyword) => !keywords.has(keyword));
  if (unsupported !== undefined) throw refused(`"${unsupported}" is not supported${where}`);
  for (const [keyword, value] of Object.entries(schema)) {
    if (bounds.has(keyword) && typeof value !== "number")
      throw refused(`"${keyword}" must be a number${where}`);
    if (typed.includes(keyword) && schema.type === undefined)
      throw refused(`"${keyword}" needs a "type" next to it${where}`);
  }
  const values = [schema.const, ...[schema.enum].flat()];
  if (values.some((value) => isObject(value) || Array.isArray(value)))
    throw refused(`"enum" and "const" take texts, numbers, true, false and null${where}`);
  if (!isObject(properties)) throw refused(`"properties" must be an object${where}`);
  if (!Array.isArray(required)) throw refused(`"required" must be an array of names${where}`);
  const undeclared = required.find((name) => !Object.hasOwn(properties, String(name)));
  if (undeclared !== undefined)
    throw refused(`"required" lists ${JSON.stringify(undeclared)}, which is not in "properties"${where}`);
  const choices = [anyOf, oneOf, allOf].flatMap((each) => (Array.isArray(each) ? each : []));
  for (const inner of [items, additionalProperties, ...choices]) checkKeywords(inner, path, depth + 1);
  for (const [name, inner] of Object.entries(properties))
    checkKeywords(inner, path === "" ? `properties.${name}` : `${path}.properties.${name}`, depth + 1);
}

function refused(problem: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `"schema" is not a JSON Schema that a tool can have: ${problem}. Nothing was changed. Use an object schema, such as {"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}, and check the rest in the code.`,
    { data: { field: "schema" } },
  );
}
