import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { projectFolders } from "../../state-folder.ts";
import { readSmallFile } from "../../workspace/small-file.ts";
import { inTurn } from "../hook/state.ts";
import { makeFolders, realTarget, removeEmpty, replaceFile } from "./config-file.ts";
import { type Places, recordFolder } from "./places.ts";

/** A file that init wrote: its content before and after, and the folders made for it. */
export interface InstalledFile {
  host: string;
  path: string;
  /** The hash of the original file, which names its copy; null if there was no file. */
  before: string | null;
  after: string;
  folders: string[];
}

export interface InstallRecord {
  files: InstalledFile[];
  /** The folders that init made for the record itself. */
  folders: string[];
}

export function hashOf(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A file in the record. All worktrees of a repository share one, so it lists the worktrees in which init ran. */
interface RecordedFile extends InstalledFile {
  root?: string;
}

/** The changes of init here. Empty if the record is missing or damaged. */
export function readRecord(places: Places): InstallRecord {
  const value = readSmallFile(recordFile(recordFolder(places)));
  const files = recordedFiles(value).filter(({ root }) => root === rootOf(places));
  return { files, folders: isTexts(value?.folders) ? value.folders : [] };
}

export function isRecorded({ path }: { path: string }, files: readonly InstalledFile[]): boolean {
  return files.some((file) => file.path === path);
}

/** The changes of init in other projects or, in a project, for all of them. They may be to the same files. */
export function readOtherRecords(places: Places): InstalledFile[] {
  const files = recordFolders(places).flatMap((folder) => recordedFiles(readSmallFile(recordFile(folder))));
  return files.filter(({ root }) => root !== rootOf(places));
}

function recordFolders(places: Places): string[] {
  const { env, home } = places;
  return [recordFolder({ ...places, scope: "user" }), ...projectFolders({ ...env, HOME: home })];
}

function recordedFiles(value: ReturnType<typeof readSmallFile>): RecordedFile[] {
  return Array.isArray(value?.files) ? value.files.filter(isInstalledFile) : [];
}

/** The worktree; undefined for all projects of the user. */
function rootOf({ scope, root }: Places): string | undefined {
  return scope === "project" ? realTarget(root) : undefined;
}

function isInstalledFile(value: unknown): value is InstalledFile {
  if (!isObject(value)) return false;
  const { host, path, before, after, folders } = value;
  const isBefore = before === null || (typeof before === "string" && /^[0-9a-f]{64}$/.test(before));
  return [host, path, after].every((text) => typeof text === "string") && isBefore && isTexts(folders);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

/** How long, in milliseconds, to wait for another init or uninstall, which writes for a fraction of a second. */
const maxWait = 10_000;

/** Runs changes of this user's records one after another: two at once would lose entries. */
export function changeRecords({ home }: Places, change: () => void): Promise<void> {
  return inTurn(join(home, ".holdfast-init.lock"), maxWait, async () => change());
}

/** Writes the record and the copies it needs; an empty record is removed. */
export function writeRecord(places: Places, record: InstallRecord, copies: readonly Uint8Array[]): void {
  try {
    write(places, record, copies);
  } catch (error) {
    const file = recordFile(recordFolder(places));
    throw new HoldfastError(
      "store_failed",
      `${file} could not be written: ${(error as Error).message}. It lists the changes for uninstall. Make its folder writable and run the command again.`,
      { data: { file }, cause: error },
    );
  }
}

function write(places: Places, record: InstallRecord, copies: readonly Uint8Array[]): void {
  const folder = recordFolder(places);
  const root = rootOf(places);
  const others = recordedFiles(readSmallFile(recordFile(folder))).filter((file) => file.root !== root);
  const files = [
    ...others,
    ...record.files.map((file): RecordedFile => ({ ...file, ...(root && { root }) })),
  ];
  if (files.length === 0) {
    removeRecord(folder, record.folders);
    return;
  }
  record.folders.push(...makeFolders(folder, 0o700));
  mkdirSync(join(folder, "backups"), { recursive: true, mode: 0o700 });
  for (const bytes of copies) replaceFile(copyFile(folder, hashOf(bytes)), bytes, 0o600);
  const text = `${JSON.stringify({ version: 1, ...record, files }, null, 2)}\n`;
  replaceFile(recordFile(folder), Buffer.from(text), 0o600);
}

function removeRecord(folder: string, made: readonly string[]): void {
  rmSync(recordFile(folder), { force: true });
  rmSync(join(folder, "backups"), { recursive: true, force: true });
  if (!made.includes(folder)) return;
  removeEmpty(made);
}

/** The file before init; undefined if there was none or the copy is lost. */
export function readCopy(places: Places, before: string | null): Buffer | undefined {
  if (before === null) return undefined;
  for (const folder of recordFolders(places)) {
    try {
      const bytes = readFileSync(copyFile(folder, before));
      if (hashOf(bytes) === before) return bytes;
    } catch {
      // Not in this one.
    }
  }
  return undefined;
}

function recordFile(folder: string): string {
  return join(folder, "installed.json");
}

function copyFile(folder: string, hash: string): string {
  return join(folder, "backups", hash);
}
