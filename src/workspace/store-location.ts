import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { HoldfastError } from "../errors.ts";
import { formatStoreAddress, parseStoreAddress, type StoreAddress } from "../stores/store-address.ts";
import type { WorkspaceConfig } from "./config.ts";
import type { Project } from "./project.ts";

/** The options of a command that name a store; each takes a path or a URL. */
export interface StoreFlags {
  db?: string | undefined;
  store?: string | undefined;
}

/** Where a project's memory is. */
export interface StoreLocation {
  kind: StoreAddress["kind"];
  /** Opens it with `openStore`; for a link, this is where the link leads. */
  url: string;
  /** The absolute path, as the user wrote it, of a SQLite file or a JSONL directory; "" for a store that is not a file. */
  file: string;
  /** Who chose it. */
  source: "flag" | "environment" | "config" | "default";
}

export interface StoreQuestion {
  project: Project;
  /** The directory that the flags' paths are relative to; all other paths are relative to the project's root. */
  cwd: string;
  flags?: StoreFlags | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  config?: Pick<WorkspaceConfig, "store"> | undefined;
}

/** Flags first, then the environment, then the config file, then `.holdfast/memory.db`. */
export function locateStore(question: StoreQuestion): StoreLocation {
  const { text, base, source } = chooseAddress(question);
  const address = parseStoreAddress(text);
  if (!("path" in address) || address.path === ":memory:")
    return { kind: address.kind, url: formatStoreAddress(address), file: "", source };
  const file = resolve(base, expandHome(address.path));
  const url = formatStoreAddress({ ...address, path: realFile(file) });
  return { kind: address.kind, url, file, source };
}

/** Refuses flags that contradict each other or name nothing. */
export function checkStoreFlags({ db, store }: StoreFlags): void {
  if (db !== undefined && store !== undefined)
    throw new HoldfastError("invalid_input", "Give either --db or --store, not both.");
  if (db === "" || store === "")
    throw new HoldfastError(
      "invalid_input",
      `--${db === "" ? "db" : "store"} is empty. Name a file or a URL, or leave the option out.`,
    );
}

/** The database file of a SQLite store, where a link to it leads; undefined for every other store. */
export function sqliteFile({ kind, file }: StoreLocation): string | undefined {
  return kind === "sqlite" && file !== "" ? realFile(file) : undefined;
}

/** The path itself while there is nothing at it. */
function realFile(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** The store as it may be shown: a SQLite file by its path, any other by its URL without the password. */
export function storeName({ kind, url, file }: StoreLocation): string {
  if (kind === "sqlite" && file !== "") return file;
  return url.replace(/^([a-z]+:\/\/[^:@/]*):[^@]*@/, "$1@");
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
}: StoreQuestion): ChosenAddress {
  checkStoreFlags(flags);
  const flag = flags.db ?? flags.store;
  if (flag !== undefined) return { text: flag, base: cwd, source: "flag" };
  // An empty variable is one that was not set.
  const variable = env.HOLDFAST_DB || env.HOLDFAST_STORE;
  if (variable) return { text: variable, base: project.root, source: "environment" };
  if (config.store) return { text: config.store, base: project.root, source: "config" };
  return { text: join(project.directory, "memory.db"), base: project.root, source: "default" };
}

/** `~` as the shell reads it; in a variable or a config file there is no shell that would. */
function expandHome(path: string): string {
  return /^~(?:$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path;
}
