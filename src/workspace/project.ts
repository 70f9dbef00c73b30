import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { projectFolder } from "../state-folder.ts";

/** A project on this machine. */
export interface Project {
  root: string;
  /** The folder with its memory, in the user's state folder. */
  directory: string;
}

/** Finds the nearest folder with a `.git` or a `holdfast.json`, from `cwd` upwards; `cwd` itself if there is none. */
export function findProject(cwd: string): Project {
  const start = resolve(cwd);
  for (let root = start; ; root = dirname(root)) {
    if (existsSync(join(root, ".git")) || hasConfig(root, start)) return projectAt(root);
    if (root === dirname(root)) return projectAt(start);
  }
}

/** Above `start`, a config in the home folder or of another user does not count. */
function hasConfig(root: string, start: string): boolean {
  const stat = statOf(join(root, "holdfast.json"));
  if (!stat?.isFile()) return false;
  return root === start || (root !== homedir() && stat.uid === (process.getuid?.() ?? stat.uid));
}

/** Undefined also if the user may not read the folder, such as another user's. */
function statOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function projectAt(root: string): Project {
  return { root, directory: projectFolder(root) };
}

/** Creates the folder of a project's memory, private to its owner. */
export function makeProjectDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** Call before opening a store at `file`: if it is in the project's own folder, creates that folder. */
export function prepareProjectStore({ directory }: Project, file: string): void {
  if (dirname(file) !== directory) return;
  try {
    makeProjectDirectory(directory);
    if ((statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
  } catch {
    // Opening the store gives a better message.
  }
}
