import { HoldfastError } from "../../errors.ts";
import type { MemoryFile } from "./memory-files.ts";

const numberWidth = 6;

/** Max entries of one listing; the rest need a view_range. */
const maxEntries = 200;

export function renderFile(path: string, text: string, range?: readonly number[]): string {
  const lines = text.split("\n");
  const { from, to } = within(range, lines.length);
  return `Here's the content of ${path} with line numbers:\n${numbered(lines.slice(from - 1, to), from)}`;
}

/** Lists two levels of files with sizes, without hidden items and node_modules, like Anthropic's own tool. */
export function renderDirectory(
  path: string,
  files: readonly MemoryFile[],
  range?: readonly number[],
): string {
  const entries = entriesOf(path, files, 1);
  const { from, to } = within(range, Math.min(entries.length, range ? entries.length : maxEntries));
  const lines = [`${size(bytesOf(files))}\t${path}`, ...entries.slice(from - 1, to)];
  const rest = entries.length - to;
  if (rest > 0)
    lines.push(
      `(${rest} more: view ${path} again with view_range [${to + 1}, ${to + Math.min(rest, maxEntries)}])`,
    );
  return `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:\n${lines.join("\n")}`;
}

function entriesOf(directory: string, files: readonly MemoryFile[], depth: number): string[] {
  const byName = Map.groupBy(files, ({ path }) => path.slice(directory.length + 1).split("/")[0] ?? "");
  return [...byName].flatMap(([name, inside]) => {
    if (name.startsWith(".") || name === "node_modules") return [];
    const path = `${directory}/${name}`;
    if (inside.some((file) => file.path === path)) return [`${size(bytesOf(inside))}\t${path}`];
    return [`${size(bytesOf(inside))}\t${path}/`, ...(depth < 2 ? entriesOf(path, inside, depth + 1) : [])];
  });
}

/** The requested range, from 1, with -1 for the end; everything if the range does not have two numbers. */
function within(range: readonly number[] | undefined, length: number): { from: number; to: number } {
  if (range?.length !== 2) return { from: 1, to: length };
  const [from = 1, to = -1] = range;
  return { from: Math.max(1, from), to: to === -1 ? length : Math.min(to, length) };
}

function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(numberWidth)}\t${line}`).join("\n");
}

/** The line number of each occurrence of a text. */
export function findOccurrences(text: string, needle: string): number[] {
  if (needle === "") return [];
  const lines: number[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
    lines.push(text.slice(0, at).split("\n").length);
  }
  return lines;
}

/** A changed line with two lines on either side. */
export function renderSnippet(text: string, line: number): string {
  const first = Math.max(1, line - 2);
  return numbered(text.split("\n").slice(first - 1, line + 2), first);
}

export function insertLine(text: string, line: number, inserted: string): string {
  const lines = text.split("\n");
  if (line < 0 || line > lines.length) {
    throw new HoldfastError(
      "invalid_input",
      `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  }
  lines.splice(line, 0, inserted.replace(/\n$/, ""));
  return lines.join("\n");
}

function bytesOf(files: readonly MemoryFile[]): number {
  return files.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0);
}

function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < 3) {
    value /= 1_024;
    unit++;
  }
  return `${Number.isInteger(value) ? value : value.toFixed(1)}${"BKMG"[unit]}`;
}
