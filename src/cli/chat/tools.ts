import { realpath } from "node:fs/promises";
import { type ToolSet, tool } from "ai";
import { z } from "zod";
import { HoldfastError } from "../../errors.ts";
import { listFiles, readListedFile, readTextFile } from "./files.ts";

/** Limits of one read_file result. */
const maxLines = 500;
const maxCharacters = 24_000;
const maxLineLength = 2_000;

/** Limits of one search_files result. */
const maxMatches = 60;
const maxMatchLength = 240;

/** Larger files are rarely written by hand, and slow to search. */
const maxSearchedBytes = 2_000_000;
const maxSearchedFiles = 20_000;

/** The chat agent's tools besides memory: read and search the files in one directory. */
export function fileTools(directory: string): ToolSet {
  return {
    read_file: tool({
      description: `Read a text file in the working directory, up to ${maxLines} lines at a time. Each line starts with its number.`,
      inputSchema: z.strictObject({
        path: z.string().min(1).describe("Path relative to the working directory"),
        from_line: z.int().min(1).optional().describe("First line, from 1"),
        to_line: z.int().min(1).optional().describe("Last line"),
      }),
      execute: ({ path, from_line, to_line }) => readLines(directory, path, from_line, to_line),
    }),
    search_files: tool({
      description:
        "Search the files in the working directory for a literal text, ignoring case. Returns path:line: text.",
      inputSchema: z.strictObject({
        pattern: z.string().min(1).describe("The text to look for"),
        within: z
          .string()
          .min(1)
          .optional()
          .describe('Search only files whose path contains this, such as "src/" or ".md"'),
      }),
      execute: ({ pattern, within }, { abortSignal }) => searchFiles(directory, pattern, within, abortSignal),
    }),
  };
}

export async function readLines(
  directory: string,
  path: string,
  from = 1,
  to = Number.POSITIVE_INFINITY,
): Promise<string> {
  const text = await readTextFile(directory, path);
  if (text === "") return `${path} is empty.`;
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  if (from > lines.length || to < from) {
    throw new HoldfastError(
      "invalid_input",
      `${path} has ${lines.length} lines, so there is nothing from line ${from}${Number.isFinite(to) ? ` to ${to}` : ""}.`,
    );
  }
  const shown: string[] = [];
  let characters = 0;
  const last = Math.min(to, lines.length);
  for (let number = from; number <= last && shown.length < maxLines; number++) {
    const line = `${number}\t${cutLine(lines[number - 1] ?? "", maxLineLength)}`;
    characters += line.length + 1;
    if (characters > maxCharacters && shown.length > 0) break;
    shown.push(line);
  }
  const next = from + shown.length;
  if (next > last) return shown.join("\n");
  const rest = `Lines ${from} to ${next - 1} of ${lines.length}. For the rest call read_file with from_line: ${next}.`;
  return `${shown.join("\n")}\n[${rest}]`;
}

export async function searchFiles(
  directory: string,
  pattern: string,
  within = "",
  signal?: AbortSignal,
): Promise<string> {
  const root = await realpath(directory);
  const needle = pattern.toLowerCase();
  const found: string[] = [];
  let searched = 0;
  let tooLarge = 0;
  for await (const path of listFiles(root)) {
    signal?.throwIfAborted();
    if (!path.includes(within)) continue;
    if (found.length > maxMatches || searched >= maxSearchedFiles) break;
    const { text, size } = await readListedFile(root, path, maxSearchedBytes)
      // An unreadable file has no matches.
      .catch(() => ({ text: undefined, size: 0 }));
    if (size > maxSearchedBytes) tooLarge++;
    if (text === undefined) continue;
    searched++;
    if (text.toLowerCase().includes(needle)) found.push(...matchingLines(path, text, needle));
  }
  const files = `${searched} ${searched === 1 ? "file" : "files"}`;
  const notes: string[] = [];
  if (found.length > maxMatches) {
    notes.push(
      `These are the first ${maxMatches} matches; there are more. Narrow the search with a longer pattern or "within".`,
    );
  } else if (searched >= maxSearchedFiles) {
    notes.push(`Only the first ${files} were searched. Search the rest with "within".`);
  }
  if (tooLarge > 0)
    notes.push(
      `Skipped ${tooLarge} ${tooLarge === 1 ? "file" : "files"} larger than ${maxSearchedBytes} bytes; use read_file for them.`,
    );
  const head =
    found.length === 0
      ? [`No match for ${JSON.stringify(pattern)} in ${files}.`]
      : found.slice(0, maxMatches);
  return [...head, ...notes.map((note) => `[${note}]`)].join("\n");
}

function matchingLines(path: string, text: string, needle: string): string[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const at = line.toLowerCase().indexOf(needle);
    if (at === -1) return [];
    // In a long line, show the text around the match.
    const start = line.length > maxMatchLength ? Math.max(0, at - 80) : 0;
    const piece = `${start > 0 ? "…" : ""}${line
      .slice(start, start + maxMatchLength)
      .trim()
      .toWellFormed()}`;
    return [`${path}:${index + 1}: ${piece}${start + maxMatchLength < line.length ? "…" : ""}`];
  });
}

function cutLine(line: string, max: number): string {
  if (line.length <= max) return line;
  return `${line.slice(0, max).toWellFormed()}… [${line.length - max} more characters in this line; search_files finds text in it]`;
}
