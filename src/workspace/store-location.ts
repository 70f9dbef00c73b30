import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { HoldfastError } from "../errors.ts";
import { formatStoreAddress, parseStoreAddress, type StoreAddress } from "../stores/open-store.ts";
import type { WorkspaceConfig } from "./config.ts";
import type { Project } from "./project.ts";

/** The command-line flag that chooses a store, by a path or a URL. */
export interface StoreFlags {
  store?: string | undefined;
}

/** Where a project's memory is. */
export interface StoreLocation {
  kind: StoreAddress["kind"];
  /** The URL for `openStore`, with symlinks resolved. */
  url: string;
  /** The absolute path of a SQLite file, symlinks not resolved; "" for any other store. */
  file: string;
  /** Where the choice comes from. */
  source: "flag" | "environment" | "config" | "default";
}

/** The variable that names the store, and its earlier name. */
export const storeVariables = ["HOLDFAST_DB", "HOLDFAST_STORE"] as const;

export interface LocateStoreOptions {
  project: Project;
  /** Paths in flags are relative to this directory, all others to the project's root. */
  cwd: string;
  flags?: StoreFlags | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  config?: Pick<WorkspaceConfig, "store"> | undefined;
}

/** Precedence: flags, environment, the user's config file, `memory.db` in the project's state folder. */
export function locateStore(options: LocateStoreOptions): StoreLocation {
  const { text, base, source } = chooseAddress(options);
  const address = parseStoreAddress(text);
  if (!("path" in address) || address.path === ":memory:")
    return { kind: address.kind, url: formatStoreAddress(address), file: "", source };
  const file = resolve(base, expandHome(address.path));
  const url = formatStoreAddress({ ...address, path: realFile(file) });
  return { kind: address.kind, url, file, source };
}

/** Throws if the flag has no store. */
export function checkStoreFlag({ store }: StoreFlags): void {
  if (store !== "") return;
  throw new HoldfastError("invalid_input", "--store is empty. Give a path or a URL, or omit the option.");
}

/** The database file of a SQLite store, with symlinks resolved; undefined for any other store. */
export function sqliteFile({ kind, file }: StoreLocation): string | undefined {
  return kind === "sqlite" && file !== "" ? realFile(file) : undefined;
}

/** Resolves symlinks; returns the path itself if nothing exists there. */
function realFile(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** The store's display name: the path of a SQLite file, or else the URL without its password. */
export function storeName({ kind, url, file }: StoreLocation): string {
  if (kind === "sqlite" && file !== "") return file;
  return hidePassword(url);
}

/** Without the password, in whichever place of the URL it is. */
export function hidePassword(url: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(url) ?? [];
  if (scheme === "") return url;
  const end = rest.search(/[/?#]/);
  const [authority, path] = end === -1 ? [rest, ""] : [rest.slice(0, end), rest.slice(end)];
  const at = authority.lastIndexOf("@");
  const user = authority.slice(0, Math.max(0, at)).split(":")[0] ?? "";
  const shown = at === -1 ? authority : `${user}${user === "" ? "" : "@"}${authority.slice(at + 1)}`;
  return `${scheme}${shown}${path.replaceAll(/([?&][^=&]{0,40}pass[^=&]{0,40}=)[^&#]*/gi, "$1…")}`;
}

interface ChosenAddress {
  text: string;
  base: string;
  source: StoreLocation["source"];
}

function chooseAddress({
  project,
  cwd,
  flags = {},
  env = process.env,
  config = {},
}: LocateStoreOptions): ChosenAddress {
  checkStoreFlag(flags);
  if (flags.store !== undefined) return { text: flags.store, base: cwd, source: "flag" };
  // An empty variable counts as unset.
  const variable = storeVariables.find((name) => env[name]);
  if (variable) return { text: env[variable] ?? "", base: project.root, source: "environment" };
  if (config.store) return { text: config.store, base: project.root, source: "config" };
  return { text: join(project.directory, "memory.db"), base: project.root, source: "default" };
}

/** Expands `~`, because no shell does so in a variable's value or a config file. */
function expandHome(path: string): string {
  return /^~(?:$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path;
}

/** Changes with every write to the database file; "" for a store that must be opened to detect a change. */
export function stampOf(store: StoreLocation): string {
  const file = sqliteFile(store);
  if (file === undefined) return "";
  // The WAL is next to the real file, not next to a symlink to it.
  const parts = [file, `${file}-wal`].map((path) => {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stat ? `${stat.mtimeNs}.${stat.size}` : "none";
  });
  return parts.join();
}
