import { isDeepStrictEqual } from "node:util";
import { isObject, objectIn } from "../../engine/json.ts";
import { appendJson, type Path, readJson, setJson, valueAt } from "./json-text.ts";
import { isOurHook, type Launcher, shellLine } from "./launcher.ts";
import type { ConfiguredServer, Gap, Piece } from "./piece.ts";

/** Takes a value out, and the containers that this leaves empty unless they were there before. */
function takeOut(text: string, path: Path, before: unknown, file: string): string {
  let result = setJson(text, path, valueAt(before, path), file);
  for (let length = path.length - 1; length > 0; length--) {
    const parent = path.slice(0, length);
    const value = valueAt(readJson(result, file), parent);
    const isEmpty = isObject(value)
      ? Object.keys(value).length === 0
      : Array.isArray(value) && value.length === 0;
    if (!isEmpty || valueAt(before, parent) !== undefined) break;
    result = setJson(result, parent, undefined, file);
  }
  return result;
}

/** What a person added to our own arguments stays. */
function withExtras(words: readonly string[], configured: unknown): string[] {
  const list = Array.isArray(configured) ? configured.filter((word) => typeof word === "string") : [];
  const at = list.indexOf("mcp");
  return [...words, "mcp", ...(at < 0 ? [] : list.slice(at + 1))];
}

/** An MCP server under `path`, with `command` and `args`. */
export function jsonServer(
  place: Pick<Piece, "path" | "within">,
  path: Path,
  launcher: Launcher,
  extra: Record<string, unknown>,
): Piece {
  const wanted = (entry: unknown) => ({
    ...extra,
    command: launcher.command,
    args: withExtras(launcher.args, valueAt(entry, ["args"])),
  });
  return {
    ...serverPiece(place, path, wanted),
    server: (text) => serverOf(valueAt(readJson(text, place.path), path)),
  };
}

/** An MCP server under `path` whose `command` is a list, as opencode has it. */
export function jsonCommandServer(
  place: Pick<Piece, "path" | "within">,
  path: Path,
  launcher: Launcher,
  extra: Record<string, unknown>,
): Piece {
  const words = [launcher.command, ...launcher.args];
  const wanted = (entry: unknown) => ({
    ...extra,
    command: withExtras(words, valueAt(entry, ["command"])),
  });
  return {
    ...serverPiece(place, path, wanted),
    server(text) {
      const entry = valueAt(readJson(text, place.path), path);
      if (!isObject(entry) || !Array.isArray(entry.command)) return undefined;
      const [command, ...args] = entry.command.map(String);
      return command === undefined
        ? undefined
        : { command, args, env: textsOf(entry.environment), isOff: entry.enabled === false };
    },
  };
}

function serverPiece(
  place: Pick<Piece, "path" | "within">,
  path: Path,
  wanted: (entry: unknown) => Record<string, unknown>,
): Piece {
  const { path: file } = place;
  return {
    ...place,
    what: "MCP server",
    add(text) {
      const entry = valueAt(readJson(text, file), path);
      if (!isObject(entry)) return setJson(text, path, wanted(entry), file);
      return Object.entries(wanted(entry)).reduce(
        (result, [key, value]) => setJson(result, [...path, key], value, file),
        text,
      );
    },
    remove: (text, before) => takeOut(text, path, readJson(before, file), file),
    isIn: (text) => valueAt(readJson(text, file), path) !== undefined,
    gaps(text) {
      const entry = valueAt(readJson(text, file), path);
      if (!isObject(entry)) return [{ what: "the MCP server", kind: "missing" }];
      return Object.entries(wanted(entry))
        .filter(([key, value]) => !isDeepStrictEqual(entry[key], value))
        .map(([key]) => ({ what: `the MCP server's ${key}`, kind: "differs" }));
    },
  };
}

function serverOf(entry: unknown): ConfiguredServer | undefined {
  if (!isObject(entry) || typeof entry.command !== "string") return undefined;
  const args = Array.isArray(entry.args) ? entry.args.map(String) : [];
  return { command: entry.command, args, env: textsOf(entry.env) };
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).map(([key, text]) => [key, String(text)]),
  );
}

/** What a host calls at its events: the matcher where one is needed. */
export type HookEvents = Readonly<Record<string, { matcher?: string }>>;

interface FoundHook {
  path: Path;
  command: string;
  /** Whether nothing else stands in its group. */
  isAlone: boolean;
}

/** Command hooks in the form that Claude Code, Codex and Gemini CLI share. */
export function jsonHooks(
  place: Pick<Piece, "path" | "within">,
  host: string,
  launcher: Launcher,
  events: HookEvents,
  extra: Record<string, unknown>,
): Piece {
  const { path: file } = place;
  const command = shellLine([launcher.command, ...launcher.args, "hook", host]);
  const ours = (value: unknown, event: string): FoundHook[] => {
    const groups = valueAt(value, ["hooks", event]);
    return (Array.isArray(groups) ? groups : []).flatMap((group, index) => {
      const listed = valueAt(group, ["hooks"]);
      const handlers = Array.isArray(listed) ? listed : [];
      return handlers.flatMap((handler, number) => {
        const line = valueAt(handler, ["command"]);
        const path = ["hooks", event, index, "hooks", number];
        const isAlone = handlers.length === 1;
        return typeof line === "string" && isOurHook(line, host) ? [{ path, command: line, isAlone }] : [];
      });
    });
  };
  const handler = { type: "command", command, ...extra };
  return {
    ...place,
    what: "hooks",
    add(text) {
      return Object.entries(events).reduce((result, [event, { matcher }]) => {
        const [found] = ours(readJson(result, file), event);
        if (found) return setJson(result, [...found.path, "command"], command, file);
        const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] };
        return appendJson(result, ["hooks", event], group, file);
      }, text);
    },
    remove(text, before) {
      const original = readJson(before, file);
      return Object.keys(objectIn(valueAt(readJson(text, file), ["hooks"]))).reduce((result, event) => {
        if (ours(original, event).length > 0) return result;
        return ours(readJson(result, file), event)
          .toReversed()
          .reduce(
            (rest, { path, isAlone }) =>
              takeOut(rest, isAlone ? path.slice(0, 3) : path, withoutLists(original, event), file),
            result,
          );
      }, text);
    },
    isIn(text) {
      const value = readJson(text, file);
      return Object.keys(events).some((event) => ours(value, event).length > 0);
    },
    gaps(text) {
      const value = readJson(text, file);
      return Object.keys(events).flatMap((event): Gap[] => {
        const [found] = ours(value, event);
        if (!found) return [{ what: `the hook for ${event}`, kind: "missing" }];
        if (found.command === command) return [];
        return [{ what: `the command of the hook for ${event}`, kind: "differs" }];
      });
    },
    hooks(text) {
      const value = readJson(text, file);
      return Object.fromEntries(
        Object.keys(events).flatMap((event) => ours(value, event).map(({ command: line }) => [event, line])),
      );
    },
  };
}

/** Elements of a list have no lasting place, so only the list itself says what was there before. */
function withoutLists(original: Record<string, unknown>, event: string): unknown {
  const hooks = original.hooks;
  if (!isObject(hooks)) return original;
  return { hooks: Object.hasOwn(hooks, event) ? { [event]: [] } : {} };
}

/** Plain values at their places: switches and lists of a host's config. */
export function jsonSettings(
  place: Pick<Piece, "path" | "within">,
  what: string,
  settings: readonly { path: Path; value: unknown }[],
  lists: readonly { path: Path; item: string; onlyIfThere?: boolean }[] = [],
): Piece {
  const { path: file } = place;
  const has = (value: unknown, { path, item, onlyIfThere }: (typeof lists)[number]) => {
    const list = valueAt(value, path);
    return Array.isArray(list) ? list.includes(item) : onlyIfThere === true && list === undefined;
  };
  return {
    ...place,
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
      const bare = settings.reduce((result, { path }) => takeOut(result, path, original, file), text);
      return lists.reduce((result, { path, item }) => {
        const here = valueAt(readJson(result, file), path);
        const then = valueAt(original, path);
        if (!Array.isArray(here) || !here.includes(item)) return result;
        if (Array.isArray(then) && then.includes(item)) return result;
        return takeOutItem(result, [...path, here.indexOf(item)], original, file);
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

function takeOutItem(text: string, path: Path, original: Record<string, unknown>, file: string): string {
  const list = path.slice(0, -1);
  const rest = setJson(text, path, undefined, file);
  const isEmpty = isDeepStrictEqual(valueAt(readJson(rest, file), list), []);
  return isEmpty && valueAt(original, list) === undefined ? takeOut(rest, list, original, file) : rest;
}
