import { accessSync, constants, existsSync, globSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { stateFolder } from "../../state-folder.ts";
import { packageRoot } from "../../workspace/package.ts";

/** How a host starts this program: a command and the arguments before the subcommand. */
export interface Launcher {
  command: string;
  args: string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const builtCommand = join(packageRoot, "dist", "cli.js");
const sourceCommand = join(packageRoot, "src", "cli.ts");

/** Whether hosts run the built files: always in the npm package, in a checkout only if no source is newer. */
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
    .filter((path) => !/\.(?:test|hosts)\.ts$|test-support/.test(path))
    .every((path) => statSync(join(packageRoot, path)).mtimeMs <= built.mtimeMs);
}

/** Plain `holdfast` if that is this package; otherwise this Node with this package's file. */
export function findLauncher(env: Environment = process.env, own = builtCommand): Launcher {
  return isOnPath(env, own)
    ? pathLauncher
    : {
        command: process.execPath,
        args: [join(installedRoot(env), usesBuild() ? "dist/cli.js" : "src/cli.ts")],
      };
}

function isOnPath(env: Environment, own = builtCommand): boolean {
  const found = findProgram("holdfast", env, isLasting);
  return found !== undefined && realpathSync(found) === realPath(own);
}

/** The words with which the person can start this program again: `holdfast` if the shell finds it. */
export function ownCommand(env: Environment = process.env): string {
  if (isOnPath(env)) return "holdfast";
  if (basename(dirname(packageRoot)) === "node_modules") return "npx holdfast";
  return shellLine(["npm", "--prefix", packageRoot, "run", "holdfast", "--"]);
}

/** The words with which an agent can start this program, in any folder and without a network. */
export function agentCommand(env: Environment = process.env): string {
  const { command, args } = findLauncher(env);
  return shellLine([command, ...args]);
}

/** The program's name in a hint: a package of the project alone is not on the PATH. */
export function commandName(): string {
  const own = ownCommand();
  return own === "npx holdfast" ? own : "holdfast";
}

/**
 * The command line of a hook: `words` are the host's name and its options. It does nothing if the program is gone: a
 * status other than 0 would stop the agent.
 */
export function hookLine(launcher: Launcher, ...words: string[]): string {
  const { command, args } = launcher;
  if (process.platform === "win32")
    return windowsLine(launcher === portableLauncher ? undefined : (args[0] ?? builtCommand), words);
  return `${isThere(launcher)} && ${shellLine([command, ...args, "hook", ...words])} || exit 0`;
}

/** A test for the program, in every POSIX shell. */
function isThere({ command, args: [file] }: Launcher): string {
  return file === undefined ? `command -v ${command} >/dev/null` : `test -f ${quoted(file)}`;
}

/**
 * How the files of a project start the MCP server. Clients report a server that does not start, to the user and to the
 * model, and then each hook that calls it. So without the program, the shell is a server that offers nothing.
 */
export function sharedServer(launcher: Launcher): Launcher {
  if (process.platform === "win32") return launcher;
  const start = `${isThere(launcher)} && exec ${shellLine([launcher.command, ...launcher.args])} "$@"`;
  return { command: "sh", args: ["-c", `${start}; ${emptyServer}`, "holdfast"] };
}

/** Answers initialize, a list of tools, and the call of a hook. No ${…} in it, because some clients would expand that. */
const emptyServer = [
  "while read -r request",
  `do case $request in *'"initialize"'*) result='"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"holdfast","version":"0"}' ;; *'"tools/list"'*) result='"tools":[]' ;; *) result='"content":[]' ;; esac`,
  `printf '%s\\n' "$request" | sed -nE 's/.*"jsonrpc" ?: ?"2.0" ?, ?"id" ?: ?("[^"]*"|[0-9]+).*/{"jsonrpc":"2.0","id":\\1,"result":{'"$result"'}}/p'`,
  "done",
].join("; ");

/**
 * Hosts run hooks with Git Bash (Claude Code), cmd (Codex) or PowerShell (Gemini CLI, Qwen Code), which share no way to
 * test for a file. So Node itself loads the program and ignores one that is gone. The word after the script takes the
 * place of the program's path. Without a file, Node starts the program that is on the PATH.
 */
export function windowsLine(file: string | undefined, words: readonly string[]): string {
  const call = ["holdfast", "hook", ...words].join(" ");
  if (file === undefined)
    return `node --eval "try{require('child_process').execSync('${call}',{stdio:[0,1,'ignore']})}catch{}"`;
  const url = pathToFileURL(file).href.replaceAll("'", "%27");
  return `node --eval "import('${url}').catch(()=>{})" ${call}`;
}

/** The program as the shell finds it. */
const pathLauncher: Launcher = { command: "holdfast", args: [] };

/** The program on the PATH of whoever uses the files: the same words on every machine. */
export const portableLauncher: Launcher = { ...pathLauncher };

/** Whether a shell of the user finds the program, also when npx or npm no longer runs it. */
export function isInstalled(env: Environment = process.env): boolean {
  return findProgram("holdfast", env, isLasting) !== undefined;
}

/** Whether this program runs from the cache of npx, which npm may clear. */
export function isInNpxCache(root = packageRoot): boolean {
  return /[\\/]_npx[\\/]/.test(root);
}

/** The folder of the user's own copy of this program. */
export function copyFolder(env: Environment = process.env): string {
  return join(stateFolder(env), "program");
}

/** The package that init writes into configs: this one or, as npm may clear the cache of npx, the user's own copy. */
export function installedRoot(env: Environment = process.env, root = packageRoot): string {
  return isInNpxCache(root) ? realPath(join(copyFolder(env), "node_modules", "holdfast")) : root;
}

/** The project that this program is installed in; undefined if it is installed for the whole machine or a checkout. */
export function projectOfProgram(
  env: Environment = process.env,
  root = installedRoot(env),
): string | undefined {
  const [, project] = /^(.*?)[\\/]node_modules[\\/]/.exec(root) ?? [];
  return project !== undefined && existsSync(join(project, "package.json")) ? project : undefined;
}

/** npm and npx add `node_modules/.bin` to the PATH only for the programs they start. */
function isLasting(folder: string): boolean {
  return !(basename(folder) === ".bin" && basename(dirname(folder)) === "node_modules");
}

/** The program's path, looked up as a shell would. */
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

/** A shell command line. Words with special characters are quoted. */
export function shellLine(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return process.platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Whether a hook's command line is ours for this host, with any launcher. */
export function isOurHook(line: unknown, host: string): boolean {
  const ours = /(?:^|[\s'"/\\])(?:holdfast(?:\.cmd|\.exe)?|cli\.[jt]s)['"]?\s+hook\s+([\w-]+)/;
  return typeof line === "string" && ours.exec(line)?.[1] === host;
}
