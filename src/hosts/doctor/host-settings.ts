import { readFileSync } from "node:fs";
import { readJson, valueAt } from "../install/json-text.ts";

/** The configs of a host that can be read; the wiring check reports the others. */
export function settingsIn(...paths: string[]): Record<string, unknown>[] {
  return paths.flatMap((path) => {
    try {
      return [readJson(readFileSync(path, "utf8"), path)];
    } catch {
      return [];
    }
  });
}

/** The items of all lists at this path in the settings. */
export function listAt(settings: readonly unknown[], ...path: string[]): unknown[] {
  return settings.flatMap((value) => {
    const list = valueAt(value, path);
    return Array.isArray(list) ? list : [];
  });
}
