import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { notAllowed } from "../install/json-pieces.ts";
import { valueAt } from "../install/json-text.ts";
import type { Launcher } from "../install/launcher.ts";
import type { FileLocation, Piece } from "../install/piece.ts";
import { appendTable, readToml, removeTable, setKeys } from "../install/toml-text.ts";

/**
 * The MCP server in config.toml, appended as text; the rest of the file is not rewritten. Of the `known` tools, Codex may
 * call without asking those that are offered.
 */
export function tomlServer(
  location: FileLocation,
  launcher: Launcher,
  known: readonly { name: string; isOffered: boolean }[],
): Piece {
  const { path: file } = location;
  const approved = known.filter(({ isOffered }) => isOffered).map(({ name }) => name);
  const tools = `{ ${approved.map((name) => `${name} = { approval_mode = "approve" }`).join(", ")} }`;
  const path = ["mcp_servers", "holdfast"];
  const entryOf = (text: string) => valueAt(readToml(text, file), path);
  const argsOf = (entry: unknown) => {
    const configured = valueAt(entry, ["args"]);
    const list = Array.isArray(configured) ? configured.map(String) : [];
    const at = list.indexOf("mcp");
    return [...launcher.args, "mcp", ...(at < 0 ? [] : list.slice(at + 1))];
  };
  const hasOurArgs = (entry: unknown) =>
    JSON.stringify(valueAt(entry, ["args"])) === JSON.stringify(argsOf(entry));
  /** Whether the entry names the tools that need an approval. */
  const decides = (entry: unknown) =>
    ["tools", "default_tools_approval_mode"].some((key) => valueAt(entry, [key]) !== undefined);
  const isApproved = (entry: unknown) =>
    valueAt(entry, ["default_tools_approval_mode"]) === "approve" ||
    approved.every((name) => valueAt(entry, ["tools", name, "approval_mode"]) === "approve");
  /** Whether the entry's tools are those that init wrote for other surfaces. */
  const isEarlier = (entry: unknown) => {
    const listed = valueAt(entry, ["tools"]);
    return (
      isObject(listed) &&
      Object.entries(listed).every(
        ([name, tool]) =>
          known.some((each) => each.name === name) &&
          JSON.stringify(tool) === JSON.stringify({ approval_mode: "approve" }),
      ) &&
      !(isApproved(entry) && Object.keys(listed).length === approved.length)
    );
  };
  const isRight = (entry: unknown) =>
    decides(entry) &&
    !isEarlier(entry) &&
    valueAt(entry, ["command"]) === launcher.command &&
    hasOurArgs(entry);
  return {
    ...location,
    what: "MCP server",
    add(text) {
      const entry = entryOf(text);
      if (isRight(entry)) return text;
      const command = JSON.stringify(launcher.command);
      const args = tomlList(argsOf(entry));
      const result =
        entry === undefined
          ? appendTable(text, path.join("."), [
              `command = ${command}`,
              `args = ${args}`,
              // Codex passes only the variables that are listed.
              `env_vars = ${tomlList(["HOLDFAST_DB", "HOLDFAST_STORE"])}`,
              `tools = ${tools}`,
            ])
          : setKeys(text, path, { command, args, ...(decides(entry) && !isEarlier(entry) ? {} : { tools }) });
      if (result === undefined || !parsesRight(result)) throw byHand(file, command, args);
      return result;
    },
    remove: (text, before) => (entryOf(before) === undefined ? removeTable(text, path) : text),
    isIn: (text) => entryOf(text) !== undefined,
    gaps(text) {
      const entry = entryOf(text);
      if (entry === undefined) return [{ what: "the MCP server", kind: "missing" }];
      const isOwn = valueAt(entry, ["command"]) !== launcher.command || !hasOurArgs(entry);
      return [
        ...(isOwn ? [{ what: "the MCP server's command", kind: "differs" } as const] : []),
        ...(isApproved(entry) ? [] : [{ what: notAllowed("approval_mode"), kind: "choice" } as const]),
      ];
    },
    server(text) {
      const entry = entryOf(text);
      const command = valueAt(entry, ["command"]);
      const args = valueAt(entry, ["args"]);
      if (typeof command !== "string") return undefined;
      const isOff = valueAt(entry, ["enabled"]) === false;
      return { command, args: Array.isArray(args) ? args.map(String) : [], env: {}, isOff };
    },
  };

  function parsesRight(text: string): boolean {
    try {
      return isRight(entryOf(text));
    } catch {
      return false;
    }
  }
}

function tomlList(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

function byHand(file: string, command: string, args: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${file} defines mcp_servers in a form that Holdfast cannot extend. Nothing was changed. Set mcp_servers.holdfast manually: command = ${command}, args = ${args}.`,
    { data: { file } },
  );
}
