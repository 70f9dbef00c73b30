import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { HoldfastError } from "../errors.ts";
import { formatStoreAddress, parseStoreAddress, type StoreAddress } from "../stores/store-address.ts";
import { readBinding } from "./binding.ts";
import type { WorkspaceConfig } from "./config.ts";
import type { Project } from "./project.ts";
import { isOwnConfig } from "./trust.ts";

/** Command-line flags that choose a store; each takes a path or a URL. */
export interface StoreFlags {
  db?: string | undefined;
  store?: string | undefined;
}

/** Where a project's memory is. */
export interface StoreLocation {
  kind: StoreAddress["kind"];
  /** The URL for `openStore`, with symlinks resolved. */
  url: string;
  /** The absolute path of a SQLite file or a JSONL directory, symlinks not resolved; "" for any other store. */
  file: string;
  /** Where the choice comes from. */
  source: "flag" | "environment" | "config" | "default";
  /** Why the store in the config is not used. */
  problem?: string;
}

export interface LocateStoreOptions {
  project: Project;
  /** Paths in flags are relative to this directory, all others to the project's root. */
  cwd: string;
  flags?: StoreFlags | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  /** Without `origins`, the store is taken as the caller's own choice. */
  config?: (Pick<WorkspaceConfig, "store"> & Partial<Pick<WorkspaceConfig, "origins">>) | undefined;
}

/** Precedence: flags, environment, config file, `.holdfast/memory.db`. */
export function locateStore(options: LocateStoreOptions): StoreLocation {
  const { text, base, source, ...problem } = chooseAddress(options);
  const address = parseStoreAddress(text);
  if (!("path" in address) || address.path === ":memory:")
    return { kind: address.kind, url: formatStoreAddress(address), file: "", source, ...problem };
  const file = resolve(base, expandHome(address.path));
  const url = formatStoreAddress({ ...address, path: realFile(file) });
  return { kind: address.kind, url, file, source, ...problem };
}

/** Throws on contradictory or empty flags. */
export function checkStoreFlags({ db, store }: StoreFlags): void {
  if (db !== undefined && store !== undefined)
    throw new HoldfastError("invalid_input", "Give either --db or --store, not both.");
  if (db === "" || store === "")
    throw new HoldfastError(
      "invalid_input",
      `--${db === "" ? "db" : "store"} is empty. Give a path or a URL, or omit the option.`,
    );
}

/** The database file of a SQLite store, with symlinks resolved; undefined for any other store. */
export function sqliteFile({ kind, file }: StoreLocation): string | undefined {
  return kind === "sqlite" && file !== "" ? realFile(file) : undefined;
}

/** Whether the store is not a file or folder of the project. */
export function leavesProject({ root }: Project, { file }: StoreLocation): boolean {
  const inside = file === "" ? ".." : relative(realFile(root), realFile(file));
  return inside.startsWith("..") || isAbsolute(inside);
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
  problem?: string;
}

function chooseAddress({
  project,
  cwd,
  flags = {},
  env = process.env,
  config = {},
}: LocateStoreOptions): ChosenAddress {
  checkStoreFlags(flags);
  const flag = flags.db ?? flags.store;
  if (flag !== undefined) return { text: flag, base: cwd, source: "flag" };
  // An empty variable counts as unset.
  const variable = env.HOLDFAST_DB || env.HOLDFAST_STORE;
  if (variable) return { text: variable, base: project.root, source: "environment" };
  const usual = {
    text: join(project.directory, "memory.db"),
    base: project.root,
    source: "default",
  } as const;
  if (!config.store) return usual;
  const origin = config.origins?.store;
  const file = origin?.source === "file" && origin.scope === "project" ? origin.path : undefined;
  if (mayName(project, file, config.store))
    return { text: config.store, base: project.root, source: "config" };
  const name = hidePassword(config.store);
  const problem = `${file ?? "The config"} names a store that is not used, because it may be someone else's choice: ${name}. Run "holdfast trust" to accept it, or set $HOLDFAST_STORE.`;
  return { ...usual, problem };
}

/** A config from the repository may not send notes to another place, or show those of another project. */
function mayName({ root, directory, quarantine }: Project, file: string | undefined, store: string): boolean {
  const address = parseStoreAddress(store);
  const path = "path" in address ? resolve(root, expandHome(address.path)) : "";
  if (quarantine && path.startsWith(`${quarantine.directory}${sep}`)) return false;
  if (file === undefined || path.startsWith(`${directory}${sep}`)) return true;
  return isOwnConfig(root, directory, file) || readBinding(directory)?.store === store;
}

/** Expands `~`, because no shell does so in a variable's value or a config file. */
function expandHome(path: string): string {
  return /^~(?:$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path;
}
