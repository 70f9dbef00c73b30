import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

/** The home folder of this user. */
export function homeFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.HOME || homedir();
}

/** Holdfast's own files of this user on this machine, outside every repository. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, "holdfast");
  const home = homeFolder(env);
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "holdfast");
  if (process.platform === "win32" && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, "holdfast");
  return join(home, ".local", "state", "holdfast");
}

/** The folder with the memory of the project at `root`. All worktrees of one repository share it. */
export function projectFolder(root: string, env?: NodeJS.ProcessEnv): string {
  const path = repositoryOf(realPath(root));
  const name = basename(path).replaceAll(/[^A-Za-z0-9._-]/g, "_");
  const hash = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return join(stateFolder(env), "projects", `${name}-${hash}`);
}

/** The folders with the memory of all projects. */
export function projectFolders(env?: NodeJS.ProcessEnv): string[] {
  const folder = join(stateFolder(env), "projects");
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The main work tree (or the bare repository) of a linked worktree; the root itself for anything else. */
function repositoryOf(root: string): string {
  const file = join(root, ".git");
  try {
    if (!lstatSync(file).isFile()) return root;
    const [, folder = ""] = /^gitdir: (.+)$/m.exec(readFileSync(file, "utf8")) ?? [];
    const entry = realPath(resolve(root, folder));
    // An archive can bring a `.git` file that names any repository. Only a real worktree is named by its repository in turn.
    const named = readFileSync(join(entry, "gitdir"), "utf8").trim();
    if (realPath(resolve(entry, named)) !== realPath(file)) return root;
    const common = realPath(resolve(entry, readFileSync(join(entry, "commondir"), "utf8").trim()));
    if (dirname(entry) !== join(common, "worktrees")) return root;
    return basename(common) === ".git" ? dirname(common) : common;
  } catch {
    // Not a repository, or a submodule, which has no `commondir`.
    return root;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}
