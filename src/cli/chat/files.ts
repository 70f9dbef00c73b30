import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { HoldfastError } from "../../errors.ts";

/** Larger files are not read. */
const maxFileBytes = 50_000_000;

const skippedDirectories = new Set([".git", ".hg", ".svn", ".holdfast", "node_modules"]);

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

/** Reads a whole text file in the directory. */
export async function readTextFile(directory: string, path: string): Promise<string> {
  const target = await findInside(directory, path);
  const { size, isFile } = await describeFile(target, path);
  if (!isFile) {
    throw new HoldfastError(
      "invalid_input",
      `${path} is not a file. Use search_files to find the files in it.`,
    );
  }
  if (size > maxFileBytes) {
    throw new HoldfastError("over_limit", `${path} has ${size} bytes; the limit is ${maxFileBytes}.`);
  }
  const bytes = await readFile(target).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  if (isBinary(bytes)) {
    throw new HoldfastError("invalid_input", `${path} is a binary file; only text can be read.`);
  }
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

async function describeFile(target: string, path: string): Promise<{ size: number; isFile: boolean }> {
  try {
    const found = await stat(target);
    return { size: found.size, isFile: found.isFile() };
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException);
  }
}

/** Text contains no NUL; a binary file nearly always has one early on. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8_192).includes(0);
}

/** Lists files below a directory as relative paths, by name. Skips symlinks: they could lead outside or into a cycle. */
export async function* listFiles(directory: string, below = ""): AsyncGenerator<string> {
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
    const advice = "Check the path, or use search_files to find it.";
    return new HoldfastError("not_found", `There is no file ${path} in the working directory. ${advice}`, {
      data: { path },
    });
  }
  const problem = error.code === "EACCES" ? "permission denied" : error.message;
  return new HoldfastError("invalid_input", `${path} cannot be read: ${problem}.`, { data: { path } });
}
