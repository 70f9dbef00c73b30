import { readFileSync } from "node:fs";
import { readJson, valueAt } from "../install/json-text.ts";

/** A config of the host as far as it can be read; the check of the wiring reports one that cannot be. */
export function settingsIn(...paths: string[]): Record<string, unknown>[] {
  return paths.flatMap((path) => {
    try {
      return [readJson(readFileSync(path, "utf8"), path)];
    } catch {
      return [];
    }
  });
}

/** The items of every list that the settings have at this path. */
export function listAt(settings: readonly unknown[], ...path: string[]): unknown[] {
  return settings.flatMap((value) => {
    const list = valueAt(value, path);
    return Array.isArray(list) ? list : [];
  });
}
