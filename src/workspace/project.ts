import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { makeFolder } from "./small-file.ts";

/** A project on this machine: its root, and the folder in it that is ours. */
export interface Project {
  root: string;
  /** `.holdfast` in the root. */
  directory: string;
}

/** The nearest folder upwards that has a `.holdfast` or is a Git repository; the folder itself when there is none. */
export function findProject(cwd: string): Project {
  const start = resolve(cwd);
  for (let root = start; ; root = dirname(root)) {
    if (existsSync(join(root, ".git")) || holdsProject(root, start)) return projectAt(root);
    if (root === dirname(root)) return projectAt(start);
  }
}

/** A memory in the home folder is not that of every folder below it, and one of another user is not ours. */
function holdsProject(root: string, start: string): boolean {
  const stat = statSync(join(root, ".holdfast"), { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return false;
  return root === start || (root !== homedir() && stat.uid === (process.getuid?.() ?? stat.uid));
}

function projectAt(root: string): Project {
  return { root, directory: join(root, ".holdfast") };
}

/** Makes our folder, for its owner only and out of Git's sight. */
export function makeProjectDirectory(directory: string): void {
  makeFolder(directory);
  try {
    writeFileSync(join(directory, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Before a store is opened at `file`: when that is in our folder, makes the folder and closes it to other users. */
export function prepareProjectStore({ directory }: Project, file: string): void {
  if (dirname(file) !== directory) return;
  try {
    makeProjectDirectory(directory);
    // It may have come with the repository, open to everybody.
    if ((statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
  } catch (error) {
    // A project that does not exist is not made. Where nothing can be written, the store explains it better.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
  }
}
