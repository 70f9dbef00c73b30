import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { parse, TomlError } from "smol-toml";
import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { storeVariables } from "../../workspace/store-location.ts";
import { argsWithExtras, notAllowed } from "../install/json-pieces.ts";
import { malformed, valueAt } from "../install/json-text.ts";
import { type Launcher, sharedServer } from "../install/launcher.ts";
import type { FileLocation, Piece } from "../install/piece.ts";

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
  const { command, args } = location.within === undefined ? launcher : sharedServer(launcher);
  const approved = known.filter(({ isOffered }) => isOffered).map(({ name }) => name);
  const tools = `{ ${approved.map((name) => `${name} = { approval_mode = "approve" }`).join(", ")} }`;
  const path = ["mcp_servers", "holdfast"];
  const entryOf = (text: string) => valueAt(readToml(text, file), path);
  const argsOf = (entry: unknown) => argsWithExtras(args, valueAt(entry, ["args"]));
  const isCommandRight = (entry: unknown) =>
    valueAt(entry, ["command"]) === command && isDeepStrictEqual(valueAt(entry, ["args"]), argsOf(entry));
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
          isDeepStrictEqual({ ...(isObject(tool) ? tool : {}) }, { approval_mode: "approve" }),
      ) &&
      !(isApproved(entry) && Object.keys(listed).length === approved.length)
    );
  };
  const isRight = (entry: unknown) => decides(entry) && !isEarlier(entry) && isCommandRight(entry);
  return {
    ...location,
    what: "MCP server",
    add(text) {
      const entry = entryOf(text);
      if (isRight(entry)) return text;
      const values = { command: JSON.stringify(command), args: tomlList(argsOf(entry)) };
      const result =
        entry === undefined
          ? appendTable(text, path.join("."), [
              `command = ${values.command}`,
              `args = ${values.args}`,
              // Codex passes only the variables that are listed.
              `env_vars = ${tomlList(storeVariables)}`,
              `tools = ${tools}`,
            ])
          : setKeys(text, path, { ...values, ...(decides(entry) && !isEarlier(entry) ? {} : { tools }) });
      if (result === undefined || !parsesRight(result)) throw byHand(file, values);
      return result;
    },
    remove: (text, before) => (entryOf(before) === undefined ? removeTable(text, path) : text),
    isIn: (text) => entryOf(text) !== undefined,
    gaps(text) {
      const entry = entryOf(text);
      if (entry === undefined) return [{ what: "the MCP server", kind: "missing" }];
      return [
        ...(isCommandRight(entry) ? [] : [{ what: "the MCP server's command", kind: "differs" } as const]),
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

function byHand(file: string, { command, args }: { command: string; args: string }): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${file} defines mcp_servers in a form that Holdfast cannot extend. Nothing was changed. Set mcp_servers.holdfast manually: command = ${command}, args = ${args}.`,
    { data: { file } },
  );
}

const key = "mcp_optional_startup_grace_ms";

/** With a comment, so that a user's own setting is never taken for ours. */
const line = `${key} = 5000 # Holdfast: the first request waits for the memory tools, at most this long`;

/**
 * How long the first request of a conversation waits for servers. After Codex's default of one second it goes out without
 * their tools, so on a busy machine nothing could be written in it. A server that fails ends the wait, and the
 * conversation continues without it. A user's own value stays, here or in the `userFile`.
 */
export function startupGrace(location: FileLocation, userFile: string): Piece {
  const { path: file } = location;
  const isDecided = (text: string) => key in readToml(text, file) || isSetIn(userFile);
  return {
    ...location,
    what: "wait for servers",
    add: (text) => (isDecided(text) ? text : addTopLine(text, line)),
    remove: (text, before) => (before.includes(line) ? text : removeTopLine(text, line)),
    isIn: (text) => text.includes(line),
    gaps: (text) => (isDecided(text) ? [] : [{ what: key, kind: "missing" }]),
  };
}

function isSetIn(file: string): boolean {
  try {
    return key in readToml(readFileSync(file, "utf8"), file);
  } catch {
    // There is none, or one that Codex itself rejects.
    return false;
  }
}

/** Parses a TOML file; an error names its line. */
export function readToml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [, problem = "it is not TOML"] = /^Invalid TOML document: (.*)/.exec(error.message) ?? [];
    throw malformed(file, error.line, problem);
  }
}

/** Appends a table to the text. */
function appendTable(text: string, header: string, lines: readonly string[]): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  return text + gap + [`[${header}]`, ...lines, ""].join(eol);
}

/** Sets single-line keys in a table that has its own header; undefined if there is no such table. */
function setKeys(
  text: string,
  path: readonly string[],
  keys: Readonly<Record<string, string>>,
): string | undefined {
  const [section] = sectionsOf(text).filter(({ header }) => samePath(header, path));
  if (!section) return undefined;
  const lines = text.split("\n");
  for (const [key, value] of Object.entries(keys)) {
    const at = lines.findIndex(
      (line, index) => index > section.from && index < section.to && line.split("=")[0]?.trim() === key,
    );
    const end = text.includes("\r\n") ? "\r" : "";
    if (at < 0) lines.splice(section.from + 1, 0, `${key} = ${value}${end}`);
    else lines[at] = `${key} = ${value}${end}`;
    if (at < 0) section.to++;
  }
  return lines.join("\n");
}

/** Adds a line below the keys that belong to no table, which have to come before the first one. */
function addTopLine(text: string, line: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const [first] = sectionsOf(text);
  const lines = text.split("\n");
  let at = first ? startOfComments(lines, first.from) : lines.length;
  while (lines[at - 1]?.trim() === "") at--;
  const top = lines.slice(0, at).map((each) => `${each}\n`);
  const rest = lines.slice(at).join("\n");
  if (at === lines.length) return `${text}${eol}${line}${eol}`;
  return `${top.join("")}${line}${eol}${at === 0 && rest.trim() !== "" ? eol : ""}${rest}`;
}

/** Removes a line that `addTopLine` has added. */
function removeTopLine(text: string, line: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((each) => each.trimEnd() === line);
  if (at < 0) return text;
  const isAlone = at === 0 && lines[1]?.trim() === "" && lines.length > 2;
  lines.splice(at, isAlone ? 2 : 1);
  return lines.join("\n");
}

/** Removes a table with its sub-tables, and the empty line before each. Comments below it are the user's. */
function removeTable(text: string, path: readonly string[]): string {
  const lines = text.split("\n");
  for (const { header, from, to } of sectionsOf(text).toReversed()) {
    if (!samePath(header.slice(0, path.length), path)) continue;
    lines.splice(from, to - from);
    if (lines[from - 1]?.trim() === "") lines.splice(from - 1, 1);
  }
  return lines.join("\n");
}

interface Section {
  header: string[];
  /** The line of the header. */
  from: number;
  /** The line after its last key. */
  to: number;
}

function sectionsOf(text: string): Section[] {
  const lines = text.split("\n");
  const sections: Section[] = [];
  for (const [index, line] of lines.entries()) {
    const header = /^\s*\[/.test(line) ? headerOf(line.trimEnd()) : undefined;
    // A bracket inside a string or a list is not a header: the text before it does not parse.
    if (!header || !parses(`${lines.slice(0, index).join("\n")}\n`)) continue;
    sections.push({ header, from: index, to: lines.length });
  }
  for (const [index, section] of sections.entries())
    section.to = endOfKeys(lines, sections[index + 1]?.from ?? lines.length);
  return sections;
}

/** The line after the last one that is neither blank nor a comment. */
function endOfKeys(lines: readonly string[], before: number): number {
  let end = before;
  while (/^\s*(?:#|$)/.test(lines[end - 1] ?? "[")) end--;
  return end;
}

/** Comments right above a header belong to it. */
function startOfComments(lines: readonly string[], header: number): number {
  let start = header;
  while (/^\s*#/.test(lines[start - 1] ?? "")) start--;
  return start;
}

function headerOf(line: string): string[] | undefined {
  if (!parses(line)) return undefined;
  const path: string[] = [];
  for (let here: unknown = parse(line); isObject(here) || Array.isArray(here); ) {
    const [entry] = Object.entries(here);
    if (!entry) break;
    if (isObject(here)) path.push(entry[0]);
    here = entry[1];
  }
  return path;
}

function parses(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}
