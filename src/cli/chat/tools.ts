import { readFile, realpath, stat } from "node:fs/promises";
import { basename, join, matchesGlob } from "node:path";
import { type ToolSet, tool } from "ai";
import { z } from "zod";
import { HoldfastError } from "../../errors.ts";
import { isBinary, listFiles, readTextFile } from "./files.ts";

/** One answer of read_file. */
const mostLines = 500;
const mostCharacters = 24_000;
const longestLine = 2_000;

/** One answer of search_files. */
const mostMatches = 60;
const longestMatch = 240;

/** Larger files are seldom written by hand, and slow to look through. */
const largestSearched = 2_000_000;
const mostSearched = 20_000;

/** What the chat's agent can do besides remembering: read and search the files of one directory. */
export function fileTools(directory: string): ToolSet {
  return {
    read_file: tool({
      description: `Read a text file in the working directory, up to ${mostLines} lines at a time. Each line begins with its number.`,
      inputSchema: z.strictObject({
        path: z.string().min(1).describe("Path relative to the working directory"),
        from_line: z.int().min(1).optional().describe("First line, from 1"),
        to_line: z.int().min(1).optional().describe("Last line"),
      }),
      execute: ({ path, from_line, to_line }) => readLines(directory, path, from_line, to_line),
    }),
    search_files: tool({
      description:
        "Find a text in the files of the working directory. The pattern is literal, and case does not matter. Gives path:line: text.",
      inputSchema: z.strictObject({
        pattern: z.string().min(1).describe("The text to look for"),
        glob: z.string().min(1).optional().describe('Only files that match, such as "*.ts" or "src/**/*.md"'),
      }),
      execute: ({ pattern, glob }, { abortSignal }) => searchFiles(directory, pattern, glob, abortSignal),
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
  for (let number = from; number <= last && shown.length < mostLines; number++) {
    const line = `${number}\t${cutLine(lines[number - 1] ?? "", longestLine)}`;
    characters += line.length + 1;
    if (characters > mostCharacters && shown.length > 0) break;
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
  glob?: string,
  signal?: AbortSignal,
): Promise<string> {
  const root = await realpath(directory);
  const wanted = pattern.toLowerCase();
  const found: string[] = [];
  let searched = 0;
  let tooLarge = 0;
  for await (const path of listFiles(root)) {
    signal?.throwIfAborted();
    if (glob !== undefined && !isMatch(path, glob)) continue;
    if (found.length > mostMatches || searched >= mostSearched) break;
    const { text, size } = await readSearched(join(root, path));
    if (size > largestSearched) tooLarge++;
    if (text === undefined) continue;
    searched++;
    if (text.toLowerCase().includes(wanted)) found.push(...matchingLines(path, text, wanted));
  }
  const files = `${searched} ${searched === 1 ? "file" : "files"}`;
  const notes: string[] = [];
  if (found.length > mostMatches) {
    notes.push(
      `The first ${mostMatches} matches; there are more. For the rest use a longer pattern, or a glob for some of the files.`,
    );
  } else if (searched >= mostSearched) {
    notes.push(`Only the first ${files} were searched. For the rest use a glob.`);
  }
  if (tooLarge > 0)
    notes.push(`${tooLarge} larger than ${largestSearched} bytes were skipped; read_file reads them.`);
  const head =
    found.length === 0
      ? [`No match for ${JSON.stringify(pattern)} in ${files}.`]
      : found.slice(0, mostMatches);
  return [...head, ...notes.map((note) => `[${note}]`)].join("\n");
}

/** A glob without a slash means file names, wherever they are. */
function isMatch(path: string, glob: string): boolean {
  return matchesGlob(glob.includes("/") ? path : basename(path), glob.replace(/^\.\//, ""));
}

async function readSearched(target: string): Promise<{ text?: string; size: number }> {
  try {
    const { size } = await stat(target);
    if (size > largestSearched) return { size };
    const bytes = await readFile(target);
    return isBinary(bytes) ? { size } : { size, text: bytes.toString("utf8") };
  } catch {
    // A file that is gone or forbidden has no matches.
    return { size: 0 };
  }
}

function matchingLines(path: string, text: string, wanted: string): string[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const at = line.toLowerCase().indexOf(wanted);
    if (at === -1) return [];
    // A match far into a long line is shown with what stands around it.
    const start = line.length > longestMatch ? Math.max(0, at - 80) : 0;
    const piece = `${start > 0 ? "…" : ""}${line
      .slice(start, start + longestMatch)
      .trim()
      .toWellFormed()}`;
    return [`${path}:${index + 1}: ${piece}${start + longestMatch < line.length ? "…" : ""}`];
  });
}

function cutLine(line: string, most: number): string {
  if (line.length <= most) return line;
  return `${line.slice(0, most).toWellFormed()}… [${line.length - most} more characters in this line; search_files finds text in it]`;
}
