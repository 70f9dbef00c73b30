import { z } from "zod";
import { isObject, type Json, objectIn } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { findSchemaFault } from "../knowledge/json-schema/find-schema-fault.ts";

/** Keywords that every provider accepts in a tool's schema. */
const keywords = new Set([
  ...["type", "title", "description", "default", "examples", "enum", "const", "format"],
  ...["properties", "required", "additionalProperties"],
  ...["items", "minItems", "maxItems", "uniqueItems"],
  ...["minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["anyOf", "oneOf", "allOf"],
  ...["deprecated", "$comment", "$id", "$schema"],
]);

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
  const fault = findSchemaFault(schema, { keywords, maxDepth, requiredIsDeclared: true });
  if (fault !== undefined) throw refused(fault);
}

/** Shows the schema to providers but accepts any object; `findMismatches` checks it later. */
export function inputOf(schema: Json): z.ZodObject {
  return z.looseObject({}).meta(objectIn(schema));
}

/** Fills in the schema's defaults for missing fields. */
export function withDefaults(schema: Json | undefined, value: Json): Json {
  if (!isObject(schema)) return value;
  const { properties, items } = schema;
  if (Array.isArray(value)) return value.map((item) => withDefaults(items, item));
  if (!isObject(value) || !isObject(properties)) return value;
  const present = Object.entries(value).map(([name, inner]) => [
    name,
    withDefaults(Object.hasOwn(properties, name) ? properties[name] : undefined, inner),
  ]);
  const missing = Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) && property.default !== undefined && !Object.hasOwn(value, name)
      ? [[name, property.default]]
      : [],
  );
  return Object.fromEntries([...present, ...missing]);
}

function refused(problem: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `"schema" is not a JSON Schema that a tool can have: ${problem}. Nothing was changed. Use an object schema, such as {"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}, and check the rest in the code.`,
    { data: { field: "schema" } },
  );
}
