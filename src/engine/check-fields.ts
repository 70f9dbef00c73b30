import { HoldfastError } from "../errors.ts";
import type { State } from "./state.ts";

/** Untyped callers can pass anything, so check at run time. */
export function checkTexts(operation: object, ...fields: string[]): void {
  for (const field of fields) {
    const value = (operation as Record<string, unknown>)[field];
    if (typeof value !== "string") throw wrongType(field, "a string", value);
  }
}

export function checkTextList(operation: object, field: string): void {
  const value = (operation as Record<string, unknown>)[field];
  if (!Array.isArray(value)) throw wrongType(field, "an array of strings", value);
  const wrong = value.findIndex((item) => typeof item !== "string");
  if (wrong !== -1) throw wrongType(`${field}[${wrong}]`, "a string", value[wrong]);
}

export function checkCounts(values: object, ...fields: string[]): void {
  for (const field of fields) {
    const value = (values as Record<string, unknown>)[field];
    if (!Number.isSafeInteger(value) || (value as number) < 0)
      throw wrongType(field, "a whole number of at least 0", value);
  }
}

export function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function wrongType(field: string, expected: string, value: unknown): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `"${field}" must be ${expected} (got ${typeof value === "number" ? value : typeName(value)}). Nothing was changed.`,
    {
      data: { field },
    },
  );
}

/** Throws if the session has no such revision. */
export function checkRevision({ row }: State, revision: number): void {
  if (Number.isInteger(revision) && revision >= 1 && revision <= row.revision) return;
  throw new HoldfastError(
    "invalid_input",
    `Session ${row.id} has the revisions 1 to ${row.revision}; ${revision} is not one of them.`,
    { data: { revision, newest: row.revision } },
  );
}
