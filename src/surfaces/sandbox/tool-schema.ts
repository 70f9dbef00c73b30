import { z } from "zod";
import { isObject, type Json, objectIn } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";

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
  const { const: only, enum: allowed = [] } = schema;
  if (
    [only, ...(Array.isArray(allowed) ? allowed : [])].some(
      (value) => isObject(value) || Array.isArray(value),
    )
  )
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

/** Shows the schema to providers but accepts any object; `inputParser` checks it later. */
export function inputOf(schema: Json): z.ZodObject {
  return z.looseObject({}).meta(objectIn(schema));
}

/** Checks input against the schema and fills in its defaults. */
export function inputParser(schema: Json): z.ZodType {
  return z.fromJSONSchema(objectIn(schema));
}

function refused(problem: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `"schema" is not a JSON Schema that a tool can have: ${problem}. Nothing was changed. Use an object schema, such as {"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}, and check the rest in the code.`,
    { data: { field: "schema" } },
  );
}
