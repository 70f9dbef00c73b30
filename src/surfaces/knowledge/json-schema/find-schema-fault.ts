import { isObject, type Json, objectIn } from "../../../engine/json.ts";
import { resolveRef } from "./find-mismatches.ts";

/** Restrictions beyond what the checker supports. */
export interface SchemaRules {
  /** Allowed keywords (default: all supported ones). */
  keywords?: ReadonlySet<string>;
  /** Maximum nesting of schemas. */
  maxDepth?: number;
  /** Whether a required field must be one of `properties`. */
  requiredIsDeclared?: boolean;
}

type Walk = SchemaRules & { root: Json };

/** The valid values of keywords that do not contain schemas. */
const leaves: Record<string, [isRight: (value: Json) => boolean, expected: string]> = {
  count: [(value) => Number.isInteger(value) && Number(value) >= 0, "a whole number"],
  number: [(value) => typeof value === "number", "a number"],
  positive: [(value) => typeof value === "number" && value > 0, "a number above 0"],
  boolean: [(value) => typeof value === "boolean", "true or false"],
  list: [Array.isArray, "an array"],
  names: [isNames, "an array of names"],
  namesByField: [(value) => isObject(value) && Object.values(value).every(isNames), "names by field"],
};

/** Keywords that are not listed are annotations and are not checked. */
const keywordsByShape = {
  count: [
    ...["minLength", "maxLength", "minItems", "maxItems"],
    ...["minContains", "maxContains", "minProperties", "maxProperties"],
  ],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  positive: ["multipleOf"],
  boolean: ["uniqueItems"],
  list: ["enum"],
  names: ["required"],
  namesByField: ["dependentRequired"],
  schema: [
    ...["items", "additionalItems", "contains", "additionalProperties", "propertyNames"],
    ...["not", "if", "then", "else"],
  ],
  schemas: ["prefixItems", "allOf", "anyOf", "oneOf"],
  schemasByName: ["properties", "$defs", "definitions"],
  // A regular expression can block the process; the others are rare and not implemented.
  unsupported: [
    ...["pattern", "patternProperties", "unevaluatedProperties", "unevaluatedItems"],
    ...["dependencies", "dependentSchemas", "$dynamicRef", "$recursiveRef"],
  ],
};

const shapes = new Map(
  Object.entries(keywordsByShape).flatMap(([shape, keywords]) =>
    keywords.map((keyword): [keyword: string, shape: string] => [keyword, shape]),
  ),
);

const types = ["null", "boolean", "object", "array", "number", "string", "integer"];

/** Why values cannot be checked against a JSON Schema, and where in it; undefined if they can. */
export function findSchemaFault(schema: Json, rules: SchemaRules = {}): string | undefined {
  return faultOfSchema({ ...rules, root: schema }, schema, "", 0);
}

function faultOfSchema(walk: Walk, schema: Json, path: string, depth: number): string | undefined {
  if (typeof schema === "boolean") return undefined;
  const where = path === "" ? "" : ` at ${path}`;
  if (!isObject(schema)) return `expected a schema${where}: an object, true or false`;
  if (depth > (walk.maxDepth ?? Number.POSITIVE_INFINITY))
    return `it is more than ${walk.maxDepth} levels deep${where}`;
  for (const [keyword, value] of Object.entries(schema)) {
    const fault = faultOfKeyword(walk, keyword, value, schema);
    if (fault !== undefined) return `"${keyword}" ${fault}${where}`;
    for (const [innerPath, inner] of schemasIn(keyword, value)) {
      const fullPath = path === "" ? innerPath : `${path}.${innerPath}`;
      const innerFault = faultOfSchema(walk, inner, fullPath, depth + 1);
      if (innerFault !== undefined) return innerFault;
    }
  }
  return undefined;
}

function faultOfKeyword(
  { root, keywords, requiredIsDeclared }: Walk,
  keyword: string,
  value: Json,
  schema: Record<string, unknown>,
): string | undefined {
  const shape = shapes.get(keyword) ?? "";
  if (shape === "unsupported" || keywords?.has(keyword) === false) return "is not supported";
  if (keyword === "type") return faultOfType(value);
  if (keyword === "$ref") {
    const found = typeof value === "string" ? resolveRef(root, value) : undefined;
    return found === undefined ? `${JSON.stringify(value)} does not point to a schema in it` : undefined;
  }
  if (shape === "schemas" && !(Array.isArray(value) && value.length > 0))
    return "must be an array of schemas";
  if (shape === "schemasByName" && !isObject(value)) return "must be an object";
  const [isRight, expected] = leaves[shape] ?? [];
  if (isRight && !isRight(value)) return `must be ${expected}`;
  if (keyword !== "required" || !requiredIsDeclared) return undefined;
  const undeclared = (value as string[]).find((name) => !Object.hasOwn(objectIn(schema.properties), name));
  return undeclared === undefined
    ? undefined
    : `lists ${JSON.stringify(undeclared)}, which is not in "properties"`;
}

/** The schemas inside a keyword, each with its path. */
function schemasIn(keyword: string, value: Json): [path: string, schema: Json][] {
  const shape = shapes.get(keyword);
  if (shape === "schemasByName" || shape === "schemas" || (shape === "schema" && Array.isArray(value)))
    return Object.entries(value as Record<string, Json>).map(([name, inner]) => [
      `${keyword}.${name}`,
      inner,
    ]);
  return shape === "schema" ? [[keyword, value]] : [];
}

function faultOfType(value: Json): string | undefined {
  const names = [value].flat();
  const isRight = names.length > 0 && names.every((name) => types.includes(String(name)));
  return isRight ? undefined : `${JSON.stringify(value)} must be one of ${types.join(", ")}`;
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
