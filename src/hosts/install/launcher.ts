import { accessSync, constants, existsSync, globSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { packageRoot } from "../../workspace/package.ts";

/** How a host starts this program: a command and the arguments that come before ours. */
export interface Launcher {
  command: string;
  args: string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const builtCommand = join(packageRoot, "dist", "cli.js");
const sourceCommand = join(packageRoot, "src", "cli.ts");

/** Whether hosts are given the built files: always in the npm package, in a checkout when no source is newer. */
export function usesBuild(): boolean {
  isBuildCurrent ??= checkBuild();
  return isBuildCurrent;
}

let isBuildCurrent: boolean | undefined;

function checkBuild(): boolean {
  const built = statSync(builtCommand, { throwIfNoEntry: false });
  if (!built) return false;
  if (!existsSync(sourceCommand) || !process.features.typescript) return true;
  return globSync("src/**/*.ts", { cwd: packageRoot })
    .filter((path) => !path.endsWith(".test.ts"))
    .every((path) => statSync(join(packageRoot, path)).mtimeMs <= built.mtimeMs);
}

/** Plain `holdfast` where that is this package; else this Node and this package's file. */
export function findLauncher(env: Environment = process.env, own = builtCommand): Launcher {
  const found = findProgram("holdfast", env, isLasting);
  if (found !== undefined && realpathSync(found) === realPath(own)) return { command: "holdfast", args: [] };
  return { command: process.execPath, args: [usesBuild() ? builtCommand : sourceCommand] };
}

/** npm and npx put such folders on the PATH of what they start, and nobody else has them there. */
function isLasting(folder: string): boolean {
  return !(basename(folder) === ".bin" && basename(dirname(folder)) === "node_modules");
}

/** A program's path as a shell would find it. */
export function findProgram(
  name: string,
  env: Environment = process.env,
  accept: (folder: string) => boolean = () => true,
): string | undefined {
  if (isAbsolute(name) || name.includes("/")) return isProgram(resolve(name)) ? resolve(name) : undefined;
  const endings = process.platform === "win32" ? [".cmd", ".exe", ".bat", ""] : [""];
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    if (folder === "" || !accept(folder)) continue;
    for (const ending of endings)
      if (isProgram(join(folder, name + ending))) return join(folder, name + ending);
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** One line for a shell. A word of plain characters stands as it is, every other in quotes. */
export function shellLine(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return process.platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Whether a hook's command line is one of ours for this host, whichever launcher it was written with. */
export function isOurHook(line: unknown, host: string): boolean {
  const ours = /(?:^|[\s'"/\\])(?:holdfast(?:\.cmd|\.exe)?|cli\.[jt]s)['"]?\s+hook\s+([\w-]+)/;
  return typeof line === "string" && ours.exec(line)?.[1] === host;
}
