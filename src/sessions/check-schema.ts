import { z } from "zod";
import type { Json } from "../engine/state.ts";
import { quote } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";

/** Refuses a value that its JSON Schema does not allow, and a schema that is none. */
export function checkAgainst(schema: Json, value: unknown, key: string): void {
  const result = compile(schema, key).safeParse(value);
  if (result.success) return;
  const problems = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  throw new HoldfastError(
    "invalid_input",
    `The value for ${quote(key)} does not meet its schema: ${problems.join("; ")}. Nothing was changed. Correct the value, or give a new schema with it.`,
    { data: { key, problems } },
  );
}

function compile(schema: Json, key: string): z.ZodType {
  const forbidden = findPattern(schema);
  if (forbidden !== undefined) {
    throw new HoldfastError(
      "invalid_input",
      `The schema for ${quote(key)} uses "${forbidden}". Regular expressions can hold up the whole process, so they are not taken: use enum, minLength or maxLength. Nothing was changed.`,
    );
  }
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    throw new HoldfastError(
      "invalid_input",
      `The schema for ${quote(key)} is no JSON Schema that can be checked: ${(error as Error).message}. Nothing was changed.`,
      { cause: error },
    );
  }
}

/** A keyword that holds a regular expression, anywhere in the schema; the name of a property is no keyword. */
function findPattern(schema: unknown, isNames = false): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  for (const [name, value] of Object.entries(schema)) {
    if (!isNames && (name === "pattern" || name === "patternProperties")) return name;
    const holdsNames = !isNames && (name === "properties" || name === "$defs" || name === "definitions");
    const isData =
      !isNames && (name === "enum" || name === "const" || name === "default" || name === "examples");
    const found = isData ? undefined : findPattern(value, holdsNames);
    if (found) return found;
  }
  return undefined;
}
