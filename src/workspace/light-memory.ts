import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { defaultLimits } from "../engine/limits.ts";
import { HoldfastError } from "../errors.ts";
import { Memory } from "../sessions/memory.ts";
import { makeSessionId } from "../sessions/options.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import type { Store } from "../stores/store.ts";
import type { Toolbox } from "../surfaces/toolbox.ts";
import { makeProjectDirectory, type Project } from "./project.ts";

/** Another process may hold up one statement this long; then the hook's own deadline is looked at. */
const busyMilliseconds = 50;

/** Tools need schemas, and those need a library that takes longer to load than a hook may take. */
const noTools: Toolbox = {
  describe: () => [],
  refresh: async () => {},
  context: () => ({ surfaces: [], guidance: "", blocks: [], system: "", message: "" }),
  dispatch: async () => {
    throw new HoldfastError("unknown_tool", "A hook has no tools.");
  },
};

/** A SQLite file, or the URL of any store, that was asked for. */
export interface StoreWish {
  db?: string | undefined;
  store?: string | undefined;
}

/** Where a project's memory is kept: where somebody asked for, as the environment says, or in its folder. */
export interface StorePlace {
  /** The file of a SQLite store, "" for any other. */
  file: string;
  choice: string;
}

export function findStore(project: Project, cwd: string, wish: StoreWish = {}): StorePlace {
  const { HOLDFAST_DB, HOLDFAST_STORE } = process.env;
  const isWished = wish.db !== undefined || wish.store !== undefined;
  const { db, store } = isWished ? wish : { db: HOLDFAST_DB, store: HOLDFAST_STORE };
  if (db) return { file: resolve(cwd, db), choice: db };
  if (!store) return { file: join(project.directory, "memory.db"), choice: "" };
  const path = /^(?:sqlite:(?:\/\/(?=\/))?)?((?![a-z][a-z0-9+-]+:)[^?]+)$/.exec(store)?.[1];
  return { file: path === undefined ? "" : resolve(cwd, path), choice: store };
}

/** A memory for looking, checkpoints and receipts. Undefined when there is no database and none is to be made. */
export async function openLightMemory(
  project: Project,
  place: StorePlace,
  mayCreate: boolean,
): Promise<Memory | undefined> {
  if (place.file !== "" && !existsSync(place.file)) {
    if (!mayCreate) return undefined;
    if (place.choice === "") makeProjectDirectory(project.directory);
  }
  return new Memory({
    store: await openPlace(place),
    owner: "local",
    toolbox: noTools,
    limits: defaultLimits,
    countTokens: estimateTokens,
    clock: Date.now,
    makeId: makeSessionId,
  });
}

async function openPlace({ file, choice }: StorePlace): Promise<Store> {
  // What a version of SQLite has wrong is for `doctor` to say, not for every hook.
  const onWarning = () => {};
  if (file === "") return (await import("../stores/open-store.ts")).openStore(choice, { onWarning });
  return sqliteStore({ path: file, busyMilliseconds, onWarning });
}

/** Changes with every write to the database file; "" when that cannot be told without opening it. */
export function stampOf({ file }: StorePlace): string {
  if (file === "") return "";
  const parts = [file, `${file}-wal`].map((path) => {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stat ? `${stat.mtimeNs}.${stat.size}` : "none";
  });
  return parts.join();
}
