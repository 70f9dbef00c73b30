import { chmodSync, existsSync, lstatSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { HoldfastError } from "../errors.ts";
import { bindingFile, readBinding, writeBinding } from "./binding.ts";
import { makeFolder } from "./small-file.ts";
import { findQuarantine, holdsMemory, privateDirectory, type Quarantine } from "./trust.ts";
import { stateDirectory } from "./user-state.ts";

/** A project on this machine: its root and the folder with its memory. */
export interface Project {
  root: string;
  /** `.holdfast` in the root or, if that is quarantined, a private folder outside the repository. */
  directory: string;
  /** Why the `.holdfast` in the root is not used. */
  quarantine?: Quarantine;
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
  const directory = join(root, ".holdfast");
  const quarantine = findQuarantine(root, directory);
  return quarantine ? { root, directory: privateDirectory(root), quarantine } : { root, directory };
}

/** Creates `.holdfast`, private to its owner, ignored by Git and bound to this user. */
export function makeProjectDirectory(directory: string): void {
  if (directory.startsWith(stateDirectory() + sep)) mkdirSync(directory, { recursive: true, mode: 0o700 });
  makeFolder(directory);
  if (!lstatSync(directory).isDirectory()) {
    throw new HoldfastError(
      "store_untrusted",
      `${directory} is a link or a special file, so nothing is written there. Replace it with a folder.`,
      { data: { path: directory } },
    );
  }
  if (!existsSync(bindingFile(directory)) && !holdsMemory(directory)) bind(directory);
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
    if (!readBinding(directory)) bind(directory);
  } catch (error) {
    // Never create the project itself. For any other error, opening the store gives a better message.
    if (error instanceof HoldfastError || (error as NodeJS.ErrnoException).code === "ENOENT") throw error;
  }
}

/** If it cannot be bound now (a read-only home), the next start tries again. */
function bind(directory: string): void {
  try {
    writeBinding(directory);
  } catch {
    // Memory works without it inside a Git work tree; elsewhere the user is asked.
  }
}
