import { readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { type ToolSet, tool } from "ai";
import { z } from "zod";
import { HoldfastError } from "../../errors.ts";
import { readRegularFile } from "../../workspace/small-file.ts";

/** Lines in one read_file result. The agent shortens a result whose lines are too long. */
const maxLines = 500;

/** Paths in one list_files result. */
const maxPaths = 500;

/** The chat agent's tools besides memory: list and read the files in one directory. */
export function fileTools(directory: string): ToolSet {
  return {
    list_files: tool({
      description: `List the files in the working directory by path, up to ${maxPaths}.`,
      inputSchema: z.strictObject({
        within: z
          .string()
          .min(1)
          .optional()
          .describe('Only paths that contain this, such as "src/" or ".md"'),
      }),
      execute: ({ within }) => listPaths(directory, within),
    }),
    read_file: tool({
      description: `Read a text file in the working directory, up to ${maxLines} lines at a time. Each line starts with its number.`,
      inputSchema: z.strictObject({
        path: z.string().min(1).describe("Path relative to the working directory"),
        from_line: z.int().min(1).optional().describe("First line, from 1"),
      }),
      execute: ({ path, from_line }) => readLines(directory, path, from_line),
    }),
  };
}

export async function listPaths(directory: string, within = ""): Promise<string> {
  const paths: string[] = [];
  for await (const path of listFiles(await realpath(directory))) {
    if (!path.includes(within)) continue;
    if (paths.length === maxPaths)
      return `${paths.join("\n")}\n[There are more than ${maxPaths} files. Narrow the list with "within".]`;
    paths.push(path);
  }
  return paths.join("\n") || "There is no such file.";
}

export async function readLines(directory: string, path: string, from = 1): Promise<string> {
  const text = await readTextFile(directory, path);
  if (text === "") return `${path} is empty.`;
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  if (from > lines.length)
    throw new HoldfastError(
      "invalid_input",
      `${path} has ${lines.length} lines, so there is nothing from line ${from}.`,
    );
  const shown = lines.slice(from - 1, from - 1 + maxLines).map((line, index) => `${from + index}\t${line}`);
  const next = from + shown.length;
  if (next > lines.length) return shown.join("\n");
  const rest = `Lines ${from} to ${next - 1} of ${lines.length}. For the rest call read_file with from_line: ${next}.`;
  return `${shown.join("\n")}\n[${rest}]`;
}

/** Larger files are not read. */
const maxFileBytes = 10_000_000;

const skippedDirectories = new Set([".git", ".hg", ".svn", "node_modules"]);

/** Reads a whole text file in the directory. Links are followed, but not out of it. */
async function readTextFile(directory: string, path: string): Promise<string> {
  const root = await realpath(directory);
  const target = await realpath(resolve(root, path)).catch(() => undefined);
  // One message, whether the file is missing or outside: which files exist outside is not revealed.
  if (target === undefined || !isInside(root, target))
    throw new HoldfastError(
      "not_found",
      `There is no file ${path} in the working directory. Only files inside it can be read. Use list_files to find them.`,
      { data: { path } },
    );
  const found = await stat(target);
  if (!found.isFile())
    throw new HoldfastError(
      "invalid_input",
      `${path} is not a file. Use list_files to list the files in it.`,
    );
  if (found.size > maxFileBytes)
    throw new HoldfastError("over_limit", `${path} has ${found.size} bytes; the limit is ${maxFileBytes}.`);
  // Another process may have put a link or a pipe there meanwhile, so the file is checked again as it is opened.
  const bytes = readRegularFile(target, { maxBytes: maxFileBytes });
  if (!bytes)
    throw new HoldfastError("invalid_input", `${path} cannot be read. Check its permissions.`, {
      data: { path },
    });
  if (isBinary(bytes))
    throw new HoldfastError("invalid_input", `${path} is a binary file; only text can be read.`);
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

function isInside(root: string, target: string): boolean {
  const path = relative(root, target);
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

/** Text contains no NUL; a binary file nearly always has one early on. */
function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8_192).includes(0);
}

/** Lists files below a directory as relative paths, by name. Skips symlinks: they could lead outside or into a cycle. */
async function* listFiles(directory: string, below = ""): AsyncGenerator<string> {
  const entries = await readdir(join(directory, below), { withFileTypes: true }).catch(() => []);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !skippedDirectories.has(entry.name)) yield* listFiles(directory, path);
  }
}
