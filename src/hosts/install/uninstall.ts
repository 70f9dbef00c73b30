import { rmSync } from "node:fs";
import { isHoldfastError } from "../../errors.ts";
import type { Host } from "../host.ts";
import type { HostSetup } from "../host-setup.ts";
import { hosts, hostsNamed } from "../hosts.ts";
import { type FileChange, isChange, readConfig, removeEmpty, writeChanges } from "./config-file.ts";
import { piecesByFile, withoutPieces } from "./init.ts";
import { copyFolder, findLauncher } from "./launcher.ts";
import { cacheFolder, type Places } from "./places.ts";
import {
  hashOf,
  type InstallRecord,
  isRecorded,
  readCopy,
  readOtherRecords,
  readRecord,
  writeRecord,
} from "./record.ts";

export interface UninstallPlan {
  hosts: Host[];
  files: FileChange[];
  /** Our files at paths that the hosts no longer use, changed since: the user has to check them. */
  left: string[];
  /** Files that this project and others need, so they stay. */
  shared: string[];
}

/** Plans uninstall: restores files that were not changed since, and removes only our parts from the others. */
export async function planUninstall(names: readonly string[], places: Places): Promise<UninstallPlan> {
  const chosen = names.length > 0 ? hostsNamed(names) : [...hosts];
  const record = readRecord(places);
  const elsewhere = readOtherRecords(places);
  const left: string[] = [];
  const isShared = (path: string) => places.scope === "project" && isRecorded({ path }, elsewhere);
  const planHost = (host: Host, setup: HostSetup): FileChange[] => {
    const pieces = piecesByFile(setup, places, findLauncher(places.env));
    const recorded = record.files.filter((file) => file.host === host.name).map(({ path }) => path);
    // A project's init may have written to files outside of it. Without its record, such a file is not the project's.
    const isOwn = (path: string) =>
      places.scope === "user" || recorded.includes(path) || pieces.get(path)?.[0]?.within !== undefined;
    const paths = [...new Set([...pieces.keys(), ...recorded])].filter(isOwn);
    return paths
      .filter((path) => !isShared(path))
      .flatMap((path): FileChange[] => {
        const { bytes: before } = readConfig(path, pieces.get(path)?.[0]?.within);
        if (before === undefined) return [];
        const change = (after: Buffer | undefined) => [{ host: host.name, path, before, after }];
        const entry = [...record.files, ...elsewhere].find((file) => file.path === path);
        const copy = readCopy(places, entry?.before ?? null);
        const isKnown = entry && (entry.before === null || copy !== undefined);
        if (isKnown && hashOf(before) === entry.after) return change(copy);
        if (isKnown && copy?.equals(before)) return [];
        const ours = pieces.get(path);
        if (ours) return change(withoutPieces(before, copy, ours));
        left.push(path);
        return [];
      });
  };
  const files: FileChange[] = [];
  for (const host of chosen) {
    const setup = await host.setup();
    try {
      files.push(...planHost(host, setup));
    } catch (error) {
      // A broken file of a host that init never wrote to must not block the others.
      const isOurs = names.length > 0 || record.files.some((file) => file.host === host.name);
      if (isOurs || !isHoldfastError(error)) throw error;
    }
  }
  const ours = record.files.filter(({ host }) => chosen.some(({ name }) => name === host));
  const shared = ours.map(({ path }) => path).filter(isShared);
  return { hosts: chosen, files: files.filter(isChange), left, shared };
}

export function runUninstall({ hosts: chosen, files, left }: UninstallPlan, places: Places): void {
  const record = readRecord(places);
  writeChanges(files, 0o644);
  const isGone = ({ host, path }: { host: string; path: string }) =>
    chosen.some(({ name }) => name === host) && !left.includes(path);
  removeEmpty(record.files.filter(isGone).flatMap(({ folders }) => folders));
  const rest: InstallRecord = { ...record, files: record.files.filter((file) => !isGone(file)) };
  if (record.files.length > 0) writeRecord(places, rest, []);
  if (rest.files.length > 0) return;
  removeCache(cacheFolder(places));
  // Another project, or all of them, may still use the copy that init made under npx.
  const env = { ...places.env, HOME: places.home };
  if (readOtherRecords(places).length === 0) removeCache(copyFolder(env));
}

/** A hook that runs elsewhere may write to the cache meanwhile; what stays of it does no harm. */
function removeCache(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    // The next hook or the next uninstall deals with the rest.
  }
}
