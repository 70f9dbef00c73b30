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

/** Maps every string in a value; parts without a change stay the same objects. */
export function mapStrings<T>(value: T, map: (text: string) => string, mapKey = (key: string) => key): T {
  if (typeof value === "string") return map(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapStrings(item, map, mapKey));
    return items.some((item, index) => item !== value[index]) ? (items as T) : value;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null)
    return value;
  let changed = false;
  const entries = Object.entries(value).map(([key, item]) => {
    const mapped = mapStrings(item, map, mapKey);
    const name = mapKey(key);
    changed ||= mapped !== item || name !== key;
    return [name, mapped];
  });
  return changed ? (Object.fromEntries(entries) as T) : value;
}

/** Whether the strings in a value have more characters than this together. Stops counting when they do. */
export function hasMoreText(value: unknown, most: number): boolean {
  let left = most;
  const count = (each: unknown): boolean => {
    if (typeof each === "string") left -= each.length;
    else if (typeof each === "object" && each !== null) return Object.values(each).some(count);
    return left < 0;
  };
  return count(value);
}
