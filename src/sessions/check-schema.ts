import type { Json } from "../engine/json.ts";
import { quote } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import { findMismatches } from "./json-schema.ts";
import { findSchemaFault } from "./schema-shape.ts";

/** Problems that an error names; a long list is no help. */
const mostShown = 10;

/** Refuses a value that its JSON Schema does not allow, and a schema that is none. */
export function checkAgainst(schema: Json, value: Json, key: string): void {
  const problems = mismatchesOf(schema, value, key);
  if (problems.length === 0) return;
  const shown = problems.slice(0, mostShown).join("; ");
  const more = problems.length > mostShown ? `; and ${problems.length - mostShown} more` : "";
  throw new HoldfastError(
    "invalid_input",
    `The value for ${quote(key)} does not meet its schema: ${shown}${more}. Nothing was changed. Correct the value, or give a new schema with it.`,
    { data: { key, problems: problems.slice(0, mostShown) } },
  );
}

function mismatchesOf(schema: Json, value: Json, key: string): string[] {
  try {
    const fault = findSchemaFault(schema);
    if (fault === undefined) return findMismatches(schema, value);
    throw new Error(fault);
  } catch (error) {
    throw cannotCheck(key, error as Error);
  }
}

function cannotCheck(key: string, cause: Error): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `The schema for ${quote(key)} is no JSON Schema that can be checked: ${cause.message}. Nothing was changed. Give another schema; instead of regular expressions use enum, minLength or maxLength.`,
    { cause },
  );
}
