import { z } from "zod";
import type { Json } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { findSchemaFault } from "../../sessions/schema-shape.ts";

type Schema = { [keyword: string]: Json };

/** What a schema may say. Patterns are left out: matching them could hang the host, so programs do it. */
const keywords = new Set([
  "type",
  "title",
  "description",
  "default",
  "examples",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "anyOf",
  "oneOf",
  "allOf",
  "format",
  "deprecated",
  "$comment",
  "$id",
  "$schema",
]);

const mostCharacters = 16_000;
const mostDepth = 10;

/** The check of an authored tool's input, made from its JSON Schema. Throws on a schema that cannot be used. */
export function compileSchema(schema: Json): z.ZodObject {
  const text = JSON.stringify(schema) ?? "";
  if (text.length > mostCharacters)
    throw refused(`it has ${text.length} characters; ${mostCharacters} are the most`);
  if (!isObject(schema) || schema.type !== "object") throw refused(`its "type" must be "object"`);
  for (const keyword of ["anyOf", "oneOf", "allOf"])
    if (keyword in schema) throw refused(`"${keyword}" cannot stand at its top; put it into a property`);
  checkSchema(schema, "", 0);
  const fault = findSchemaFault(schema);
  if (fault !== undefined) throw refused(fault);
  try {
    const compiled = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    if (compiled instanceof z.ZodObject) return compiled;
  } catch (error) {
    throw refused((error as Error).message);
  }
  throw refused("it does not describe an object");
}

function checkSchema(schema: Json, path: string, depth: number): void {
  const where = path === "" ? "" : ` at ${path}`;
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) throw refused(`there must be a schema${where}`);
  if (depth > mostDepth) throw refused(`it is more than ${mostDepth} levels deep${where}`);
  for (const [keyword, value] of Object.entries(schema)) {
    if (!keywords.has(keyword))
      throw refused(`"${keyword}" is not supported${where}; check that in the code instead`);
    const inner = path === "" ? keyword : `${path}.${keyword}`;
    if (keyword === "properties") {
      if (!isObject(value)) throw refused(`"properties" must be an object${where}`);
      for (const [name, property] of Object.entries(value))
        checkSchema(property, `${inner}.${name}`, depth + 1);
    } else if (keyword === "items" || keyword === "additionalProperties")
      checkSchema(value, inner, depth + 1);
    else if (keyword === "anyOf" || keyword === "oneOf" || keyword === "allOf") {
      if (!Array.isArray(value)) throw refused(`"${keyword}" must be an array${where}`);
      for (const [index, each] of value.entries()) checkSchema(each, `${inner}.${index}`, depth + 1);
    } else if (keyword === "required") checkRequired(value, schema.properties, where);
  }
}

function isObject(value: Json | undefined): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A name without a property of its own would not be checked. */
function checkRequired(names: Json, properties: Json | undefined, where: string): void {
  if (!Array.isArray(names)) throw refused(`"required" must be an array of names${where}`);
  for (const name of names) {
    if (typeof name !== "string" || !isObject(properties) || !Object.hasOwn(properties, name))
      throw refused(`"required" has ${JSON.stringify(name)}, which is not among the properties${where}`);
  }
}

function refused(problem: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `"schema" is no JSON Schema that a tool can have: ${problem}. Nothing was changed. Give an object schema, such as {"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}.`,
    { data: { field: "schema" } },
  );
}
