export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** True for JSON objects; false for null and arrays. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else `{}`. */
export function objectIn(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** The objects in an array; `[]` if the value is not an array. */
export function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The value if it is a string, else "". */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The object that a JSON text contains; undefined for every other text. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
