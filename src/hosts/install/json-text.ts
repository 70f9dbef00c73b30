import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import {
  applyEdits,
  findNodeAtLocation,
  format,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
  stripComments,
} from "jsonc-parser";
import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";

/** A path in a JSON document. */
export type Path = JSONPath;

const lenient = { allowTrailingComma: true, disallowComments: false };

/** Parses a config file. Allows comments and trailing commas; any other error names its line. */
export function readJson(text: string, file: string): Record<string, unknown> {
  if (bare(text).trim() === "") return {};
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(bare(text), errors, lenient);
  } catch (error) {
    // The parser recurses once per level.
    if (error instanceof RangeError) throw malformed(file, 1, "it is nested too deeply");
    throw error;
  }
  const [first] = errors;
  if (first) throw malformed(file, lineAt(bare(text), first.offset), printParseErrorCode(first.error));
  if (!isObject(value)) throw malformed(file, 1, "an object was expected");
  return value;
}

export function malformed(file: string, line: number, problem: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${file}, line ${line}, cannot be read: ${problem}. Nothing was changed. Repair the file and run the command again.`,
    { data: { file, line } },
  );
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here) && typeof step === "number") here = here[step];
    else if (isObject(here) && typeof step === "string" && Object.hasOwn(here, step)) here = here[step];
    else return undefined;
  }
  return here;
}

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

/** Sets a value in the text and keeps every other byte; undefined removes it. */
export function setJson(text: string, path: Path, value: unknown, file: string): string {
  const before = readJson(text, file);
  if (isDeepStrictEqual(valueAt(before, path), value)) return text;
  checkParents(before, path, file);
  return edit(text, path, value, file);
}

/** Appends a value to a list; creates the list if it is missing. */
export function appendJson(text: string, path: Path, value: unknown, file: string): string {
  const before = readJson(text, file);
  const list = valueAt(before, path);
  if (list === undefined) return setJson(text, path, [value], file);
  if (!Array.isArray(list)) throw wrongShape(file, path, "a list");
  return edit(text, [...path, list.length], value, file);
}

/** Restores what was at the path before, or removes the value and the containers that we created for it. */
export function restoreJson(text: string, path: Path, before: unknown, file: string): string {
  let result = setJson(text, path, valueAt(before, path), file);
  if (result === text) return text;
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

function edit(text: string, path: Path, value: unknown, file: string): string {
  const byteOrderMark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const source = bare(text).trim() === "" ? `{}${eolOf(text)}` : bare(text);
  const after = value === undefined ? remove(source, path) : place(source, path, value);
  const expected = changed(readJson(source, file), path, value);
  // Duplicate keys, for example: refuse the edit instead of half applying it.
  if (!isDeepStrictEqual(readJson(after, file), expected)) {
    throw new HoldfastError(
      "invalid_input",
      `${file} cannot be edited safely at ${path.join(".")}: it may contain a key twice. Nothing was changed. Repair the file and run the command again.`,
    );
  }
  return byteOrderMark + after;
}

/** Sets a value, laid out like the text around it. The library's own layout would change the neighbors too. */
function place(source: string, path: Path, value: unknown): string {
  const [change] = modify(source, path, value, {});
  if (!change) return source;
  const head = source.slice(0, change.offset);
  const tail = source.slice(change.offset + change.length);
  const comma = change.content.startsWith(",") ? "," : "";
  const piece = change.content.slice(comma.length);
  const isFirst = /[{[]\s*$/.test(head);
  if (!isFirst && isInOneLine(source, path)) return `${head}${comma}${comma && " "}${piece}${tail}`;
  const eol = eolOf(source);
  const [, unit = "  "] = /^([ \t]+)\S/m.exec(source) ?? [];
  const [outer = ""] = /^[ \t]*/.exec(head.slice(head.lastIndexOf("\n") + 1)) ?? [];
  const indent = isFirst ? outer + unit : outer;
  const style = { insertSpaces: !unit.includes("\t"), tabSize: unit.length, eol: "\n" };
  const lines = applyEdits(piece, format(piece, undefined, style)).replaceAll("\n", eol + indent);
  if (isFirst) return head + eol + indent + lines + tail.replace(/^\s*(?=[}\]])/, eol + outer);
  return head + (comma && `${comma}${eol}${indent}`) + lines + tail;
}

/** Removes an entry and a comma. The library's own way leaves a part of the line break behind. */
function remove(source: string, path: Path): string {
  const root = parseTree(source, [], lenient);
  const node = root && findNodeAtLocation(root, path);
  const entry = node?.parent?.type === "property" ? node.parent : node;
  const container = entry?.parent;
  if (!entry || !container?.children) return source;
  const at = container.children.indexOf(entry);
  const [previous, next] = [container.children[at - 1], container.children[at + 1]];
  const end = entry.offset + entry.length;
  if (previous) {
    const start = previous.offset + previous.length;
    const between = source.slice(start, entry.offset).trimEnd();
    const comma = stripComments(between, " ").indexOf(",");
    return source.slice(0, start) + between.slice(0, comma) + between.slice(comma + 1) + source.slice(end);
  }
  const rest = next
    ? source.slice(next.offset)
    : source
        .slice(end)
        .replace(/^\s*,/, "")
        .replace(/^\s+(?=[}\]])/, "");
  return source.slice(0, next ? entry.offset : container.offset + 1) + rest;
}

/** Whether the value, or what it is added to, is written in one line. */
function isInOneLine(source: string, path: Path): boolean {
  const root = parseTree(source, [], lenient);
  for (let length = path.length; root && length >= 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node) return !source.slice(node.offset, node.offset + node.length).includes("\n");
  }
  return false;
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function changed(root: Record<string, unknown>, path: Path, value: unknown): unknown {
  const copy = structuredClone(root);
  let here: unknown = copy;
  for (const step of path.slice(0, -1)) {
    if (isObject(here) && typeof step === "string") here = here[step] ??= {};
    else if (Array.isArray(here) && typeof step === "number") here = here[step];
  }
  const last = path.at(-1);
  if (Array.isArray(here) && typeof last === "number")
    here.splice(last, 1, ...(value === undefined ? [] : [value]));
  else if (isObject(here) && typeof last === "string") {
    if (value === undefined) delete here[last];
    else here[last] = value;
  }
  return copy;
}

function checkParents(root: unknown, path: Path, file: string): void {
  for (let length = 0; length < path.length; length++) {
    const parent = valueAt(root, path.slice(0, length));
    if (parent === undefined) return;
    const isList = typeof path[length] === "number";
    if (isList ? !Array.isArray(parent) : !isObject(parent))
      throw wrongShape(file, path.slice(0, length), isList ? "a list" : "an object");
  }
}

function wrongShape(file: string, path: Path, expected: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${file}: ${path.join(".")} must be ${expected}. Nothing was changed. Repair the file and run the command again.`,
    { data: { file } },
  );
}

function bare(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
