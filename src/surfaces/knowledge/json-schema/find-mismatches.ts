import { typeName } from "../../../engine/check-fields.ts";
import { isObject, type Json } from "../../../engine/json.ts";
import { quote } from "../../../engine/text.ts";
import { isFormat } from "./formats.ts";

type Schema = { [keyword: string]: Json };

/** The whole schema, to resolve `$ref`, and the remaining work budget. */
interface Work {
  root: Json;
  steps: number;
}

/** Nested choices double the work with every level, so it is limited; larger values get a larger budget. */
const maxSteps = 100_000;
const stepsPerCharacter = 4;
/** Consecutive references and choices that do not descend into the value. */
const maxHops = 100;
/** Max problems per error, and max field names per problem. */
export const maxListed = 10;
const maxNames = 20;

/**
 * How a value violates its JSON Schema, one text per problem; empty if it is valid. The schema must have passed
 * `findSchemaFault`. Throws if checking takes too long.
 */
export function findMismatches(schema: Json, value: Json): string[] {
  const steps = maxSteps + stepsPerCharacter * JSON.stringify(value).length;
  return check({ root: schema, steps }, schema, value, "", 0);
}

/** The first problems, for an error message. */
export function listMismatches(problems: readonly string[]): string {
  const more = problems.length > maxListed ? `; and ${problems.length - maxListed} more` : "";
  return problems.slice(0, maxListed).join("; ") + more;
}

function check(work: Work, schema: Json, value: Json, path: string, hops: number): string[] {
  if (work.steps-- < 0 || hops > maxHops)
    throw new Error("checking a value against it takes too long, or never ends");
  if (schema === true) return [];
  if (!isObject(schema)) return [at(path, "is not allowed")];
  return [
    ...checkAny(schema, value, path),
    ...(typeof value === "number" ? checkNumber(schema, value, path) : []),
    ...(typeof value === "string" ? checkString(schema, value, path) : []),
    ...(Array.isArray(value) ? checkArray(work, schema, value, path) : []),
    ...(isObject(value) ? checkObject(work, schema, value, path) : []),
    ...checkCombined(work, schema, value, path, hops + 1),
  ];
}

function checkAny({ type, enum: allowed, const: only }: Schema, value: Json, path: string): string[] {
  const types = type === undefined ? [] : [type].flat().map(String);
  if (types.length > 0 && !types.some((name) => isOfType(value, name)))
    return [at(path, `must be ${types.map((name) => articles[name]).join(" or ")} (got ${shown(value)})`)];
  const choices = only === undefined ? allowed : [only];
  if (Array.isArray(choices) && !choices.some((choice) => canonical(choice) === canonical(value)))
    return [at(path, `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`)];
  return [];
}

function checkNumber(schema: Schema, value: number, path: string): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const isMultiple = (of: number) => {
    const times = value / of;
    return Math.abs(times - Math.round(times)) <= Number.EPSILON * Math.max(1, Math.abs(times));
  };
  return problems(path, [
    [isNumber(minimum) && value < minimum, `must be at least ${minimum}`],
    [isNumber(maximum) && value > maximum, `must be at most ${maximum}`],
    [isNumber(exclusiveMinimum) && value <= exclusiveMinimum, `must be more than ${exclusiveMinimum}`],
    [isNumber(exclusiveMaximum) && value >= exclusiveMaximum, `must be less than ${exclusiveMaximum}`],
    [isNumber(multipleOf) && !isMultiple(multipleOf), `must be a multiple of ${multipleOf}`],
  ]);
}

function checkString({ minLength, maxLength, format }: Schema, value: string, path: string): string[] {
  const length = [...value].length;
  return problems(path, [
    [isNumber(minLength) && length < minLength, `must have at least ${minLength} characters`],
    [isNumber(maxLength) && length > maxLength, `must have at most ${maxLength} characters`],
    [typeof format === "string" && !isFormat(value, format), `must be of the format ${format}`],
  ]);
}

function checkArray(work: Work, schema: Schema, value: Json[], path: string): string[] {
  const { minItems, maxItems, uniqueItems, contains, minContains = 1, maxContains } = schema;
  // Older drafts call "prefixItems" "items", and "items" "additionalItems".
  const isOld = Array.isArray(schema.items);
  const first = (isOld ? schema.items : schema.prefixItems) as Json[] | undefined;
  const rest = isOld ? schema.additionalItems : schema.items;
  const wrong = value.flatMap((item, index) => {
    const rule = first?.[index] ?? rest;
    return rule === undefined ? [] : check(work, rule, item, join(path, index), 0);
  });
  const contained =
    contains === undefined
      ? undefined
      : value.filter((item) => check(work, contains, item, "", 0).length === 0).length;
  return [
    ...problems(path, [
      [isNumber(minItems) && value.length < minItems, `must have at least ${minItems} items`],
      [isNumber(maxItems) && value.length > maxItems, `must have at most ${maxItems} items`],
      [
        uniqueItems === true && new Set(value.map(canonical)).size < value.length,
        "must not contain the same item twice",
      ],
      [
        contained !== undefined &&
          (contained < Number(minContains) || (isNumber(maxContains) && contained > maxContains)),
        `has ${contained} items that match "contains", which is not in its range`,
      ],
    ]),
    ...wrong,
  ];
}

function checkObject(work: Work, schema: Schema, value: Schema, path: string): string[] {
  const { properties = {}, additionalProperties, propertyNames, minProperties, maxProperties } = schema;
  const names = Object.keys(value);
  const required = [
    ...((schema.required ?? []) as string[]),
    ...Object.entries((schema.dependentRequired ?? {}) as Record<string, string[]>).flatMap(
      ([name, others]) => (Object.hasOwn(value, name) ? others : []),
    ),
  ];
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  // Listing the fields once keeps the work linear in the number of unknown ones.
  const known = additionalProperties === false ? fieldsOf(properties as Schema) : "";
  const wrong = names.flatMap((name) => {
    const fieldPath = join(path, name);
    const own = ownOf(properties as Schema, name);
    const rule = own ?? additionalProperties;
    const isUnknown = own === undefined && rule === false;
    return [
      ...(isUnknown ? [at(fieldPath, `is unknown; ${known}`)] : []),
      ...(rule === undefined || isUnknown ? [] : check(work, rule, value[name] as Json, fieldPath, 0)),
      ...(propertyNames === undefined ? [] : check(work, propertyNames, name, fieldPath, 0)),
    ];
  });
  return [
    ...missing.map((name) => at(join(path, name), "is missing")),
    ...problems(path, [
      [isNumber(minProperties) && names.length < minProperties, `must have at least ${minProperties} fields`],
      [isNumber(maxProperties) && names.length > maxProperties, `must have at most ${maxProperties} fields`],
    ]),
    ...wrong,
  ];
}

function fieldsOf(properties: Schema): string {
  const names = Object.keys(properties);
  if (names.length === 0) return "there are no fields";
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : "";
  return `the fields are ${names.slice(0, maxNames).join(", ")}${more}`;
}

function checkCombined(work: Work, schema: Schema, value: Json, path: string, hops: number): string[] {
  const faults = (rule: Json) => check(work, rule, value, path, hops);
  const fits = (rule: Json) => faults(rule).length === 0;
  const { $ref, allOf, anyOf, oneOf, not, if: condition } = schema;
  const found = [
    ...(typeof $ref === "string" ? faults(resolveRef(work.root, $ref) ?? false) : []),
    ...(Array.isArray(allOf) ? allOf.flatMap(faults) : []),
    ...problems(path, [
      [Array.isArray(anyOf) && !anyOf.some(fits), "does not match any of the choices"],
      [Array.isArray(oneOf) && oneOf.filter(fits).length !== 1, "must match exactly one of the choices"],
      [not !== undefined && fits(not), "is excluded by the schema"],
    ]),
  ];
  if (condition === undefined) return found;
  const then = (fits(condition) ? schema.then : schema.else) ?? true;
  return [...found, ...faults(then)];
}

/** The schema that a local reference such as `#/$defs/a` points to. */
export function resolveRef(root: Json, ref: string): Json | undefined {
  if (ref !== "#" && !ref.startsWith("#/")) return undefined;
  let found: Json | undefined = root;
  for (const part of ref.split("/").slice(1)) {
    const name = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = typeof found === "object" && found !== null ? ownOf(found as Schema, name) : undefined;
  }
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function ownOf(object: Schema, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isNumber(value: Json | undefined): value is number {
  return typeof value === "number";
}

function isOfType(value: Json, name: string): boolean {
  if (name === "integer") return Number.isInteger(value);
  if (name === "number") return typeof value === "number";
  return typeName(value) === name;
}

const articles: Record<string, string> = {
  null: "null",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  number: "a number",
  string: "a string",
  integer: "a whole number",
};

/** The value of a number, since it may only fail to be an integer; the type of anything else. */
function shown(value: Json): string {
  return typeof value === "number" ? `${value}` : typeName(value);
}

/** Equal values give the same text, regardless of field order. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_, part: Json) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function problems(path: string, found: readonly [isWrong: boolean, text: string][]): string[] {
  return found.filter(([isWrong]) => isWrong).map(([, text]) => at(path, text));
}

function join(path: string, part: string | number): string {
  return path === "" ? String(part) : `${path}.${part}`;
}

function at(path: string, text: string): string {
  return `${path === "" ? "it" : quote(path)} ${text}`;
}
