import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { makeFolder } from "./small-file.ts";

/** A project on this machine: its root and its `.holdfast` folder. */
export interface Project {
  root: string;
  /** `.holdfast` in the root. */
  directory: string;
}

/** Finds the nearest folder with a `.holdfast`, a `holdfast.json` or a `.git`, from `cwd` upwards; `cwd` itself if there is none. */
export function findProject(cwd: string): Project {
  const start = resolve(cwd);
  for (let root = start; ; root = dirname(root)) {
    if (existsSync(join(root, ".git")) || isProjectRoot(root, start)) return projectAt(root);
    if (root === dirname(root)) return projectAt(start);
  }
}

/** Above `start`, what is in the home folder or owned by another user does not count. */
function isProjectRoot(root: string, start: string): boolean {
  const folder = statSync(join(root, ".holdfast"), { throwIfNoEntry: false });
  const stat = folder?.isDirectory()
    ? folder
    : statSync(join(root, "holdfast.json"), { throwIfNoEntry: false });
  if (!stat || (stat !== folder && !stat.isFile())) return false;
  return root === start || (root !== homedir() && stat.uid === (process.getuid?.() ?? stat.uid));
}

function projectAt(root: string): Project {
  return { root, directory: join(root, ".holdfast") };
}

/** Creates `.holdfast`, private to its owner and ignored by Git. */
export function makeProjectDirectory(directory: string): void {
  makeFolder(directory);
  try {
    writeFileSync(join(directory, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Call before opening a store at `file`: if it is in `.holdfast`, creates that folder and makes it private. */
export function prepareProjectStore({ directory }: Project, file: string): void {
  if (dirname(file) !== directory) return;
  try {
    makeProjectDirectory(directory);
    // It may come from a checkout, readable by everyone.
    if ((statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
  } catch (error) {
    // Never create the project itself. For any other error, opening the store gives a better message.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
  }
}
