import type { Json } from "../engine/json.ts";
import { resolveRef } from "./json-schema.ts";

type Shape = "count" | "number" | "boolean" | "names" | "schema" | "schemas" | "named" | "list" | "refused";

/** What each keyword of a JSON Schema has to hold. Others are notes, and mean nothing here. */
const shapes: Record<string, Shape> = {
  enum: "list",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  minLength: "count",
  maxLength: "count",
  minItems: "count",
  maxItems: "count",
  minContains: "count",
  maxContains: "count",
  minProperties: "count",
  maxProperties: "count",
  uniqueItems: "boolean",
  required: "names",
  items: "schema",
  additionalItems: "schema",
  contains: "schema",
  additionalProperties: "schema",
  propertyNames: "schema",
  not: "schema",
  if: "schema",
  // biome-ignore lint/suspicious/noThenProperty: the keyword is called that
  then: "schema",
  else: "schema",
  prefixItems: "schemas",
  allOf: "schemas",
  anyOf: "schemas",
  oneOf: "schemas",
  properties: "named",
  $defs: "named",
  definitions: "named",
  // Regular expressions can hold up the whole process; the others are rare, and would go unchecked.
  pattern: "refused",
  patternProperties: "refused",
  unevaluatedProperties: "refused",
  unevaluatedItems: "refused",
  dependencies: "refused",
  dependentSchemas: "refused",
  $dynamicRef: "refused",
  $recursiveRef: "refused",
};

const types = ["null", "boolean", "object", "array", "number", "string", "integer"];

/** What makes a JSON Schema useless for checking; undefined when nothing does. */
export function findSchemaFault(schema: Json, root: Json = schema, where = "it"): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isObject(schema)) return `${where} must be an object`;
  for (const [keyword, value] of Object.entries(schema)) {
    const fault = faultOf(keyword, value, root, `"${keyword}"`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(keyword: string, value: Json, root: Json, where: string): string | undefined {
  if (keyword === "type") return typeFault(value);
  if (keyword === "dependentRequired") {
    const isRight = isObject(value) && Object.values(value).every(isNames);
    return isRight ? undefined : `${where} must name fields by field`;
  }
  if (keyword === "$ref") {
    const found = typeof value === "string" ? resolveRef(root, value) : undefined;
    return found === undefined ? `"$ref" ${JSON.stringify(value)} leads nowhere in it` : undefined;
  }
  switch (Object.hasOwn(shapes, keyword) ? shapes[keyword] : undefined) {
    case "count":
      return Number.isInteger(value) && Number(value) >= 0 ? undefined : `${where} must be a whole number`;
    case "number": {
      const isRight = typeof value === "number" && (keyword !== "multipleOf" || value > 0);
      return isRight ? undefined : `${where} must be a number${keyword === "multipleOf" ? " above 0" : ""}`;
    }
    case "boolean":
      return typeof value === "boolean" ? undefined : `${where} must be true or false`;
    case "list":
      return Array.isArray(value) ? undefined : `${where} must be an array`;
    case "names":
      return isNames(value) ? undefined : `${where} must be an array of names`;
    case "schema":
      if (keyword === "items" && Array.isArray(value)) return firstFault(value, root, where);
      return findSchemaFault(value, root, where);
    case "schemas":
      return Array.isArray(value) && value.length > 0
        ? firstFault(value, root, where)
        : `${where} must be an array of schemas`;
    case "named":
      return isObject(value) ? firstFault(Object.values(value), root, where) : `${where} must be an object`;
    case "refused":
      return `it uses ${where}, which is not checked here`;
    default:
      return undefined;
  }
}

function firstFault(schemas: readonly Json[], root: Json, where: string): string | undefined {
  for (const schema of schemas) {
    const fault = findSchemaFault(schema, root, `what is in ${where}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function typeFault(value: Json): string | undefined {
  const names = [value].flat();
  const isRight = names.length > 0 && names.every((name) => types.includes(String(name)));
  return isRight ? undefined : `"type" ${JSON.stringify(value)} is none of ${types.join(", ")}`;
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isObject(value: Json): value is { [keyword: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
