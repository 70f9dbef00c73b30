import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { shortHash } from "../engine/short-hash.ts";
import { HoldfastError } from "../errors.ts";
import { type Binding, readBinding } from "./binding.ts";
import { findWorkTree, type TrackedFile } from "./git-index.ts";
import { stateDirectory } from "./user-state.ts";

/** A `.holdfast` folder that this user did not make, and whose memory is not used. */
export interface Quarantine {
  /** The folder that was found. */
  directory: string;
  reason: "link" | "tracked" | "unbound";
  /** What is wrong and what to do. */
  message: string;
  /** What the user accepts with `holdfast trust`; undefined if it cannot be accepted. */
  acceptable?: Pick<Binding, "accepted">;
}

/** Files that a team may commit on purpose. They are the repository's data, not the agent's memory. */
const shared = new Set([".gitignore", "config.json", "NOTES.md"]);

function isShared(path: string): boolean {
  return shared.has(path) || /^discovery\/[^/]+\.md$/.test(path);
}

/** What Holdfast keeps beside a store; none of it is shown to an agent. */
const harmless = new Set([
  ...shared,
  "discovery",
  "binding.json",
  "cache",
  "links",
  "installed.json",
  "backups",
  "project",
  "doctor.json",
  "transcripts",
  "hook-failures.jsonl",
  "hook-failures.old.jsonl",
]);

/**
 * Decides whether the `.holdfast` of a project is the user's own. It is if it contains no links or special files, if Git
 * tracks none of its memory in a version that the user has not accepted, and if it is bound to this user. An unbound one
 * (made by an older version, or by a program) counts if this user owns it inside a Git work tree that does not track it:
 * a clone cannot bring that. Returns why it is not.
 */
export function findQuarantine(root: string, directory: string): Quarantine | undefined {
  const special = findSpecial(directory);
  if (special === "missing") return undefined;
  if (special !== undefined) return linkFound(directory, special);
  const binding = readBinding(directory);
  const tree = findWorkTree(root);
  const tracked = (tree?.index?.below(directory) ?? []).filter(({ path }) => !isShared(path));
  const isNested = tree?.root !== directory && hasEntry(directory, ".git");
  if (tracked.length > 0 || isNested) {
    const isAccepted = !isNested && tracked.every(({ path, oid }) => binding?.accepted[path] === oid);
    return isAccepted ? undefined : trackedFound(directory, tracked, isNested);
  }
  if (binding || !holdsMemory(directory)) return undefined;
  const isWorkTree = tree?.index && (tree.root === root || tree.index.below(root).length > 0);
  if (isWorkTree && isOwn(directory)) return undefined;
  return unboundFound(directory);
}

/** Whether the user, and not a repository, wrote a config file in the project. */
export function isOwnConfig(root: string, directory: string, file: string): boolean {
  const tree = findWorkTree(root);
  if (!tree) return file.startsWith(directory) && readBinding(directory) !== undefined;
  return tree.index?.below(file).length === 0 && isOwn(file);
}

/** Where a quarantined project's own memory goes: outside the repository, by the project's path. */
export function privateDirectory(root: string): string {
  const path = realPath(root);
  const name = basename(path).replaceAll(/[^A-Za-z0-9._-]/g, "_");
  return join(stateDirectory(), "projects", `${name}-${shortHash(path)}`);
}

/** The path of a link or special file in the folder; "missing" if there is no folder. */
function findSpecial(directory: string): string | undefined {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (!stat) return "missing";
  if (!stat.isDirectory()) return directory;
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    const special = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
    return special && join(directory, special.name);
  } catch {
    // Unreadable: opening the store gives a better message.
    return undefined;
  }
}

/** Whether the folder contains more than settings and what Holdfast keeps beside a store. */
export function holdsMemory(directory: string): boolean {
  try {
    return readdirSync(directory).some((name) => !harmless.has(name));
  } catch {
    return false;
  }
}

function hasEntry(directory: string, name: string): boolean {
  return lstatSync(join(directory, name), { throwIfNoEntry: false }) !== undefined;
}

function isOwn(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.uid === (process.getuid?.() ?? stat.uid);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function linkFound(directory: string, path: string): Quarantine {
  const message = `${path} is a link or a special file, so the memory in ${directory} is not used. Replace it with a regular file or folder, or name the store with --db or $HOLDFAST_DB.`;
  return { directory, reason: "link", message };
}

function trackedFound(directory: string, tracked: readonly TrackedFile[], isNested: boolean): Quarantine {
  const first = tracked[0]?.path || basename(directory);
  const what = isNested ? "is a repository of its own" : `is in the repository (Git tracks ${first})`;
  const message = `The memory in ${directory} ${what}, so it may come from someone else and is not used. Run "holdfast trust" to see what it contains and to accept it.`;
  const accepted = Object.fromEntries(tracked.map(({ path, oid }) => [path, oid]));
  return { directory, reason: "tracked", message, ...(isNested ? {} : { acceptable: { accepted } }) };
}

function unboundFound(directory: string): Quarantine {
  const message = `The memory in ${directory} was not made by this user on this machine, so it is not used. Run "holdfast trust" to see what it contains and to accept it.`;
  return { directory, reason: "unbound", message, acceptable: { accepted: {} } };
}

/** The error for work that would need the quarantined memory itself. */
export function quarantined({ message, directory, reason }: Quarantine): HoldfastError {
  return new HoldfastError("store_untrusted", message, { data: { path: directory, reason } });
}
