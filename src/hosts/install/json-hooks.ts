import { isDeepStrictEqual } from "node:util";
import { isObject, objectIn } from "../../engine/json.ts";
import { hookTool } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { appendJson, type Path, readJson, restoreJson, setJson, valueAt } from "./json-text.ts";
import { hookLine, isOurHook, type Launcher } from "./launcher.ts";
import type { FileLocation, Gap, Piece } from "./piece.ts";

interface FoundHook {
  path: Path;
  handler: Record<string, unknown>;
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

/** Our MCP server, as hosts call it. */
const server = "holdfast";

/** Hooks for all events of a host, in the format that several hosts share: tools of our server, or else commands. */
export function jsonHooks(
  location: FileLocation,
  host: Pick<Host, "name" | "events" | "inServer">,
  launcher: Launcher,
  { matchers = {}, timeouts = {}, isFlat = false, ...extra }: HookOptions,
): Piece {
  const { path: file } = location;
  const events = Object.keys(host.events);
  const isOurs = (handler: Record<string, unknown>) =>
    isOurHook(handler.command, host.name) || (handler.server === server && handler.tool === hookTool);
  const ours = (value: unknown, event: string): FoundHook[] => {
    const groups = valueAt(value, ["hooks", event]);
    return (Array.isArray(groups) ? groups : []).flatMap((group, index) => {
      const listed = isFlat ? [group] : valueAt(group, ["hooks"]);
      const handlers = Array.isArray(listed) ? listed : [];
      return handlers.flatMap((handler, number) => {
        const path = ["hooks", event, index, ...(isFlat ? [] : ["hooks", number])];
        const isAlone = handlers.length === 1;
        return isObject(handler) && isOurs(handler) ? [{ path, handler, isAlone }] : [];
      });
    });
  };
  const command = { type: "command", command: hookLine(launcher, host.name) };
  /** The part of a hook that has to be as init writes it. */
  const expected = (event: string): Record<string, unknown> => ({
    ...(toolCall(host, event) ?? { command: command.command }),
    ...(timeouts[event] === undefined ? {} : { timeout: timeouts[event] }),
  });
  const handlerFor = (event: string) => ({
    ...("command" in expected(event) ? command : {}),
    ...extra,
    ...expected(event),
  });
  return {
    ...location,
    what: "hooks",
    add(text) {
      return events.reduce((result, event) => {
        const [found] = ours(readJson(result, file), event);
        if (found) {
          const isSameKind = "command" in found.handler === "command" in expected(event);
          if (!isSameKind) return setJson(result, found.path, handlerFor(event), file);
          return Object.entries(expected(event)).reduce(
            (rest, [key, value]) => setJson(rest, [...found.path, key], value, file),
            result,
          );
        }
        const matcher = matchers[event];
        const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handlerFor(event)] };
        return appendJson(result, ["hooks", event], isFlat ? handlerFor(event) : group, file);
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
        const isRight = Object.entries(expected(event)).every(([key, wanted]) =>
          isDeepStrictEqual(found.handler[key], wanted),
        );
        return isRight ? [] : [{ what: `the command of the hook for ${event}`, kind: "differs" }];
      });
    },
    hooks(text) {
      const value = readJson(text, file);
      return Object.fromEntries(
        events.flatMap((event) =>
          ours(value, event).flatMap(({ handler }) =>
            typeof handler.command === "string" ? [[event, handler.command]] : [],
          ),
        ),
      );
    },
  };
}

/** A hook that calls our server, which is running anyway. */
function toolCall(
  { name, inServer = {} }: Pick<Host, "name" | "inServer">,
  event: string,
): Record<string, unknown> | undefined {
  const fields = inServer[event];
  if (!fields) return undefined;
  const filled = ["session_id", "transcript_path", ...fields].map((field) => [field, `\${${field}}`]);
  const input = { host: name, hook_event_name: event, ...Object.fromEntries(filled) };
  return { type: "mcp_tool", server, tool: hookTool, input };
}

/** List indexes are not stable, so compare only whether the list itself existed before. */
function withoutLists(original: Record<string, unknown>, event: string): unknown {
  const hooks = original.hooks;
  if (!isObject(hooks)) return original;
  return { hooks: Object.hasOwn(hooks, event) ? { [event]: [] } : {} };
}
