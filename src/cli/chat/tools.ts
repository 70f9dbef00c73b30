import { constants, type Stats } from "node:fs";
import { type FileHandle, open, readdir, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type ToolSet, tool } from "ai";
import { z } from "zod";
import { HoldfastError } from "../../errors.ts";

/** Limits of one read_file result. */
const maxLines = 500;
const maxCharacters = 24_000;
const maxLineLength = 2_000;

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
        to_line: z.int().min(1).optional().describe("Last line"),
      }),
      execute: ({ path, from_line, to_line }) => readLines(directory, path, from_line, to_line),
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

function cutLine(line: string, max: number): string {
  if (line.length <= max) return line;
  return `${line.slice(0, max).toWellFormed()}… [${line.length - max} more characters in this line]`;
}

/** Larger files are not read. */
const maxFileBytes = 50_000_000;

const skippedDirectories = new Set([".git", ".hg", ".svn", "node_modules"]);

/** Resolves symlinks and returns the real path; throws if it is outside the directory. */
async function findInside(directory: string, path: string): Promise<string> {
  const root = await realpath(directory);
  const requested = resolve(root, path);
  try {
    const target = await realpath(requested);
    if (isInside(root, target)) return target;
  } catch (error) {
    // Only paths inside are reported as missing: outside, that would reveal which files exist.
    if (isInside(root, await nearestReal(requested))) throw unreadable(path, error as NodeJS.ErrnoException);
  }
  throw outside(path);
}

/** The real path of the nearest existing parent directory. */
async function nearestReal(path: string): Promise<string> {
  for (let at = dirname(path); ; at = dirname(at)) {
    const found = await realpath(at).catch(() => undefined);
    if (found !== undefined || at === dirname(at)) return found ?? at;
  }
}

function isInside(root: string, target: string): boolean {
  const path = relative(root, target);
  return path === "" || (path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path));
}

/**
 * Reads a whole text file in the directory. Opens it first and checks what was opened: a path that was checked before
 * may lead elsewhere a moment later.
 */
async function readTextFile(directory: string, path: string): Promise<string> {
  const root = await realpath(directory);
  const file = await openFile(await findInside(directory, path), path);
  try {
    const found = await file.stat();
    if (!isInside(root, await openedPath(file, root, path, found))) throw outside(path);
    if (!found.isFile()) {
      const advice = "Use list_files to list the files in it.";
      throw new HoldfastError("invalid_input", `${path} is not a file. ${advice}`);
    }
    if (found.size > maxFileBytes)
      throw new HoldfastError("over_limit", `${path} has ${found.size} bytes; the limit is ${maxFileBytes}.`);
    const bytes = await file.readFile();
    if (isBinary(bytes))
      throw new HoldfastError("invalid_input", `${path} is a binary file; only text can be read.`);
    return bytes.toString("utf8").replace(/^\uFEFF/, "");
  } finally {
    await file.close();
  }
}

async function openFile(target: string, path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    // Links were resolved: one here was planted since.
    return await open(target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ELOOP" ? outside(path) : unreadable(path, error as NodeJS.ErrnoException);
  }
}

/** Where an open file really is: the system's answer or, where it has none, a path that still leads to the same file. */
async function openedPath(file: FileHandle, root: string, path: string, opened: Stats): Promise<string> {
  const known = await realpath(`/proc/self/fd/${file.fd}`).catch(() => undefined);
  if (known !== undefined) return known;
  const now = await realpath(resolve(root, path)).catch(() => "");
  const found = now === "" ? undefined : await stat(now).catch(() => undefined);
  return found?.ino === opened.ino && found.dev === opened.dev ? now : "/";
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

function outside(path: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${path} is outside the working directory. Only files inside it can be read.`,
    { data: { path } },
  );
}

function unreadable(path: string, error: NodeJS.ErrnoException): HoldfastError {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") {
    const advice = "Check the path, or use list_files to find it.";
    return new HoldfastError("not_found", `There is no file ${path} in the working directory. ${advice}`, {
      data: { path },
    });
  }
  const problem = error.code === "EACCES" ? "permission denied" : error.message;
  return new HoldfastError("invalid_input", `${path} cannot be read: ${problem}.`, { data: { path } });
}
