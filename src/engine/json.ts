export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Whether a parsed JSON value is an object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object itself; an empty one for any other value. */
export function objectIn(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** The objects in an array; none for any other value. */
export function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The text itself; "" for any other value. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
