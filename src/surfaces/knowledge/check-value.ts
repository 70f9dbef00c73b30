import type { Json } from "../../engine/json.ts";
import { quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { findMismatches, listMismatches, maxListed } from "./json-schema/find-mismatches.ts";
import { findSchemaFault } from "./json-schema/find-schema-fault.ts";

/** Refuses a value that does not match its JSON Schema, and a schema that cannot be checked. */
export function checkAgainst(schema: Json, value: Json, key: string): void {
  const problems = mismatchesOf(schema, value, key);
  if (problems.length === 0) return;
  throw new HoldfastError(
    "invalid_input",
    `The value for ${quote(key)} does not match its schema: ${listMismatches(problems)}. Nothing was changed. Correct the value, or send a new schema with it.`,
    { data: { key, problems: problems.slice(0, maxListed) } },
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
    `The schema for ${quote(key)} is not a JSON Schema that can be checked: ${cause.message}. Nothing was changed. Send another schema; instead of regular expressions use enum, minLength or maxLength.`,
    { cause },
  );
}
