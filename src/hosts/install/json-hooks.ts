import { isObject } from "../../engine/json.ts";
import type { Host } from "../host.ts";
import { appendJson, type Path, readJson, restoreJson, setJson, valueAt } from "./json-text.ts";
import { hookLine, isOurHook, type Launcher } from "./launcher.ts";
import type { FileLocation, Gap, Piece } from "./piece.ts";

interface FoundHook {
  path: Path;
  command: string;
  /** Whether it is the only hook in its group. */
  isAlone: boolean;
}

interface HookOptions {
  /** By event. */
  matchers?: Readonly<Record<string, string>>;
  /** Seconds or milliseconds for an event that accepts less than the others. */
  timeouts?: Readonly<Record<string, number>>;
  /** The hooks are in the event's list itself, not in groups. */
  isFlat?: boolean;
  /** Further fields of each hook. */
  [setting: string]: unknown;
}

/** Command hooks for all events of a host, in the format that several hosts share. */
export function jsonHooks(
  location: FileLocation,
  host: Pick<Host, "name" | "events">,
  launcher: Launcher,
  { matchers = {}, timeouts = {}, isFlat = false, ...extra }: HookOptions,
): Piece {
  const { path: file } = location;
  const events = Object.keys(host.events);
  const command = hookLine(launcher, host.name);
  const ours = (value: unknown, event: string): FoundHook[] => {
    const groups = valueAt(value, ["hooks", event]);
    return (Array.isArray(groups) ? groups : []).flatMap((group, index) => {
      const listed = isFlat ? [group] : valueAt(group, ["hooks"]);
      const handlers = Array.isArray(listed) ? listed : [];
      return handlers.flatMap((handler, number) => {
        const line = valueAt(handler, ["command"]);
        const path = ["hooks", event, index, ...(isFlat ? [] : ["hooks", number])];
        const isAlone = handlers.length === 1;
        return typeof line === "string" && isOurHook(line, host.name)
          ? [{ path, command: line, isAlone }]
          : [];
      });
    });
  };
  const handler = { type: "command", command, ...extra };
  return {
    ...location,
    what: "hooks",
    add(text) {
      return events.reduce((result, event) => {
        const [found] = ours(readJson(result, file), event);
        const timeout = timeouts[event];
        if (found) {
          const text = setJson(result, [...found.path, "command"], command, file);
          return timeout === undefined ? text : setJson(text, [...found.path, "timeout"], timeout, file);
        }
        const matcher = matchers[event];
        const hook = timeout === undefined ? handler : { ...handler, timeout };
        const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] };
        return appendJson(result, ["hooks", event], isFlat ? hook : group, file);
      }, text);
    },
    remove(text, before) {
      const original = readJson(before, file);
      return Object.keys(asObject(valueAt(readJson(text, file), ["hooks"]))).reduce((result, event) => {
        if (ours(original, event).length > 0) return result;
        return ours(readJson(result, file), event)
          .toReversed()
          .reduce(
            (rest, { path, isAlone }) =>
              restoreJson(rest, isAlone ? path.slice(0, 3) : path, withoutLists(original, event), file),
            result,
          );
      }, text);
    },
    isIn(text) {
      const value = readJson(text, file);
      return events.some((event) => ours(value, event).length > 0);
    },
    gaps(text) {
      const value = readJson(text, file);
      return events.flatMap((event): Gap[] => {
        const [found] = ours(value, event);
        if (!found) return [{ what: `the hook for ${event}`, kind: "missing" }];
        if (found.command === command) return [];
        return [{ what: `the command of the hook for ${event}`, kind: "differs" }];
      });
    },
    hooks(text) {
      const value = readJson(text, file);
      return Object.fromEntries(
        events.flatMap((event) => ours(value, event).map(({ command: line }) => [event, line])),
      );
    },
  };
}

/** List indexes are not stable, so compare only whether the list itself existed before. */
function withoutLists(original: Record<string, unknown>, event: string): unknown {
  const hooks = original.hooks;
  if (!isObject(hooks)) return original;
  return { hooks: Object.hasOwn(hooks, event) ? { [event]: [] } : {} };
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
