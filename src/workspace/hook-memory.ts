import { existsSync, statSync } from "node:fs";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { defaultLimits } from "../engine/limits.ts";
import { Memory } from "../sessions/memory.ts";
import { makeSessionId } from "../sessions/options.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import type { Store } from "../stores/store.ts";
import { parseStoreAddress } from "../stores/store-address.ts";
import { emptyToolbox } from "../surfaces/empty-toolbox.ts";
import { type Project, prepareProjectStore } from "./project.ts";
import { type StoreLocation, sqliteFile } from "./store-location.ts";

/** Another process may block one statement this long; then the hook checks its own deadline. */
const busyMilliseconds = 50;

/** A memory without tools, for looking, checkpoints and receipts; undefined when there is none and none is to be made. */
export async function openHookMemory(
  project: Project,
  store: StoreLocation,
  mayCreate: boolean,
): Promise<Memory | undefined> {
  if (store.file !== "" && !existsSync(store.file)) {
    if (!mayCreate) return undefined;
    prepareProjectStore(project, store.file);
  }
  return new Memory({
    store: await openFast(store),
    owner: "local",
    toolbox: emptyToolbox,
    limits: defaultLimits,
    countTokens: estimateTokens,
    clock: Date.now,
    makeId: makeSessionId,
  });
}

async function openFast({ url }: StoreLocation): Promise<Store> {
  // Warnings about the version of SQLite belong in `doctor`, not in every hook.
  const onWarning = () => {};
  const address = parseStoreAddress(url);
  if (address.kind === "sqlite") return sqliteStore({ ...address, busyMilliseconds, onWarning });
  return (await import("../stores/open-store.ts")).openStore(url, { onWarning });
}

/** Changes with every write to the database file; "" for a store that has to be opened to see that. */
export function stampOf(store: StoreLocation): string {
  const file = sqliteFile(store);
  if (file === undefined) return "";
  // SQLite keeps the log beside the real file, not beside a link to it.
  const parts = [file, `${file}-wal`].map((path) => {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stat ? `${stat.mtimeNs}.${stat.size}` : "none";
  });
  return parts.join();
}
