import { isDeepStrictEqual } from "node:util";
import { isObject, objectIn } from "../../engine/json.ts";
import { appendJson, type Path, readJson, restoreJson, setJson, valueAt } from "./json-text.ts";
import { type Launcher, sharedServer } from "./launcher.ts";
import type { AllowRules } from "./memory-tools.ts";
import type { FileLocation, Piece } from "./piece.ts";

/** Our arguments, followed by those that the user added. */
export function argsWithExtras(words: readonly string[], configured: unknown): string[] {
  const list = Array.isArray(configured) ? configured.filter((word) => typeof word === "string") : [];
  const at = list.indexOf("mcp");
  return [...words, "mcp", ...(at < 0 ? [] : list.slice(at + 1))];
}

/** An MCP server under `path`: with `command` and `args` or, `asList`, with all words as its `command`. */
export function jsonServer(
  location: FileLocation,
  path: Path,
  launcher: Launcher,
  { asList = false, ...extra }: { asList?: boolean; [setting: string]: unknown } = {},
): Piece {
  const { path: file } = location;
  const { command, args } = location.within === undefined ? launcher : sharedServer(launcher);
  const entryIn = (text: string) => valueAt(readJson(text, file), path);
  const expected = (entry: unknown): Record<string, unknown> => ({
    ...extra,
    ...(asList
      ? { command: argsWithExtras([command, ...args], valueAt(entry, ["command"])) }
      : { command, args: argsWithExtras(args, valueAt(entry, ["args"])) }),
  });
  return {
    ...location,
    what: "MCP server",
    add(text) {
      const entry = entryIn(text);
      if (!isObject(entry)) return setJson(text, path, expected(entry), file);
      return Object.entries(expected(entry)).reduce(
        (result, [key, value]) => setJson(result, [...path, key], value, file),
        text,
      );
    },
    remove: (text, before) => restoreJson(text, path, readJson(before, file), file),
    isIn: (text) => entryIn(text) !== undefined,
    gaps(text) {
      const entry = entryIn(text);
      if (!isObject(entry)) return [{ what: "the MCP server", kind: "missing" }];
      return Object.entries(expected(entry))
        .filter(([key, value]) => !isDeepStrictEqual(entry[key], value))
        .map(([key]) => ({ what: `the MCP server's ${key}`, kind: "differs" }));
    },
    server(text) {
      const entry = objectIn(entryIn(text));
      const [program, ...words] = [entry.command ?? [], entry.args ?? []].flat().map(String);
      if (program === undefined) return undefined;
      const variables = Object.entries(objectIn(entry.env ?? entry.environment));
      const env = Object.fromEntries(variables.map(([name, value]) => [name, String(value)]));
      return { command: program, args: words, env, isOff: entry.enabled === false };
    },
  };
}

/** Plain values in a host's config: switches and list items. */
export function jsonSettings(
  location: FileLocation,
  what: string,
  settings: readonly { path: Path; value: unknown }[],
  lists: readonly { path: Path; item: string; onlyIfPresent?: boolean }[] = [],
): Piece {
  const { path: file } = location;
  const has = (value: unknown, { path, item, onlyIfPresent }: (typeof lists)[number]) => {
    const list = valueAt(value, path);
    return Array.isArray(list) ? list.includes(item) : onlyIfPresent === true && list === undefined;
  };
  return {
    ...location,
    what,
    add(text) {
      const set = settings.reduce((result, { path, value }) => setJson(result, path, value, file), text);
      return lists.reduce(
        (result, list) =>
          has(readJson(result, file), list) ? result : appendJson(result, list.path, list.item, file),
        set,
      );
    },
    remove(text, before) {
      const original = readJson(before, file);
      const bare = settings.reduce((result, { path }) => restoreJson(result, path, original, file), text);
      return lists.reduce((result, { path, item }) => {
        const here = valueAt(readJson(result, file), path);
        const then = valueAt(original, path);
        if (!Array.isArray(here) || !here.includes(item)) return result;
        if (Array.isArray(then) && then.includes(item)) return result;
        return removeItem(result, [...path, here.indexOf(item)], original, file);
      }, bare);
    },
    isIn(text) {
      const root = readJson(text, file);
      return settings.some(({ path, value }) => isDeepStrictEqual(valueAt(root, path), value));
    },
    gaps(text) {
      const root = readJson(text, file);
      return [
        ...settings.filter(({ path, value }) => !isDeepStrictEqual(valueAt(root, path), value)),
        ...lists.filter((list) => !has(root, list)),
      ].map(({ path }) => ({ what: path.join("."), kind: "missing" }));
    },
  };
}

/** Rules in a list at `path` that allow the memory tools without asking, so that agents without a screen can write. */
export function jsonAllowList(
  location: FileLocation,
  path: Path,
  { allowed: rules, others }: AllowRules,
): Piece {
  const { path: file } = location;
  const listed = (items: readonly string[]) => items.map((item) => ({ path, item }));
  const piece = jsonSettings(location, "permission rules", [], listed(rules));
  const former = jsonSettings(location, "former permission rules", [], listed(others));
  return {
    ...piece,
    // Rules of tools that the agent does not get are from an earlier choice of surfaces.
    add: (text) => piece.add(former.remove(text, "")),
    remove: (text, before) => former.remove(piece.remove(text, before), before),
    gaps(text) {
      const list = valueAt(readJson(text, file), path);
      const isAllowed = Array.isArray(list) && rules.every((rule) => list.includes(rule));
      return isAllowed ? [] : [{ what: notAllowed(path.join(".")), kind: "choice" }];
    },
  };
}

/** The sentence of a doctor's note. */
export function notAllowed(where: string): string {
  return `does not allow all memory tools (${where}): without a screen, the host refuses them`;
}

function removeItem(text: string, path: Path, original: Record<string, unknown>, file: string): string {
  const list = path.slice(0, -1);
  const rest = setJson(text, path, undefined, file);
  const isEmpty = isDeepStrictEqual(valueAt(readJson(rest, file), list), []);
  return isEmpty && valueAt(original, list) === undefined ? restoreJson(rest, list, original, file) : rest;
}
