import { parse, TomlError } from "smol-toml";
import { isObject } from "../../engine/json.ts";
import { malformed } from "./json-text.ts";

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
export function appendTable(text: string, header: string, lines: readonly string[]): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  return text + gap + [`[${header}]`, ...lines, ""].join(eol);
}

/** Sets single-line keys in a table that has its own header; undefined if there is no such table. */
export function setKeys(
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
export function addTopLine(text: string, line: string): string {
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
export function removeTopLine(text: string, line: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((each) => each.trimEnd() === line);
  if (at < 0) return text;
  const isAlone = at === 0 && lines[1]?.trim() === "" && lines.length > 2;
  lines.splice(at, isAlone ? 2 : 1);
  return lines.join("\n");
}

/** Removes a table with its sub-tables, and the empty line before it. */
export function removeTable(text: string, path: readonly string[]): string {
  const lines = text.split("\n");
  for (const { header, from, to } of sectionsOf(text).toReversed()) {
    if (!samePath(header.slice(0, path.length), path)) continue;
    const atEnd = to === lines.length;
    lines.splice(from, to - from, ...(atEnd ? [""] : []));
    if (lines[from - 1]?.trim() === "") lines.splice(from - 1, 1);
  }
  return lines.join("\n");
}

interface Section {
  header: string[];
  /** The line of the header. */
  from: number;
  /** The line after its last line. */
  to: number;
}

function sectionsOf(text: string): Section[] {
  const lines = text.split("\n");
  const sections: Section[] = [];
  for (const [index, line] of lines.entries()) {
    const header = /^\s*\[/.test(line) ? headerOf(line.trimEnd()) : undefined;
    // A bracket inside a string or a list is not a header: the text before it does not parse.
    if (!header || !parses(`${lines.slice(0, index).join("\n")}\n`)) continue;
    const previous = sections.at(-1);
    if (previous) previous.to = startOfComments(lines, index);
    sections.push({ header, from: index, to: lines.length });
  }
  return sections;
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
