import { existsSync } from "node:fs";
import { basename } from "node:path";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { defaultLimits, type Limits } from "../engine/limits.ts";
import type { RetentionRules } from "../engine/retention.ts";
import { makeGuard } from "../secrets/guard.ts";
import type { SecretPolicy } from "../secrets/redact.ts";
import { Memory } from "../sessions/memory.ts";
import { makeSessionId } from "../sessions/options.ts";
import { parseStoreAddress } from "../stores/open-store.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import type { Store } from "../stores/store.ts";
import { emptyToolbox } from "../surfaces/empty-toolbox.ts";
import { type Project, prepareProjectStore } from "./project.ts";
import type { StoreLocation } from "./store-location.ts";

export interface HookMemoryOptions {
  secrets?: SecretPolicy | undefined;
  /** Gets one line if a secret was taken out of what is stored. */
  onSecret?: ((notice: string) => void) | undefined;
  /** Milliseconds to wait for another process's lock. */
  lockTimeout?: number | undefined;
  /** Receives warnings about the store. Default: none, because `doctor` reports them and hooks stay quiet. */
  onWarning?: (warning: string) => void;
  retention?: RetentionRules;
  limits?: Limits;
  handoff?: boolean | undefined;
}

/** Opens a memory without tools, for reads, handoffs and receipts; undefined if missing and not `mayCreate`. */
export async function openHookMemory(
  project: Project,
  store: StoreLocation,
  mayCreate: boolean,
  options: HookMemoryOptions = {},
): Promise<Memory | undefined> {
  const { secrets, onSecret, retention, limits = defaultLimits, handoff = true } = options;
  if (store.file !== "" && !existsSync(store.file)) {
    if (!mayCreate) return undefined;
    prepareProjectStore(project, store.file);
  }
  return new Memory({
    store: await openFast(store, options),
    owner: "local",
    project: basename(project.directory),
    toolbox: emptyToolbox,
    limits,
    handoff,
    countTokens: estimateTokens,
    guard: makeGuard(secrets, onSecret),
    clock: Date.now,
    makeId: makeSessionId,
    ...(retention ? { retention } : {}),
  });
}

async function openFast(
  { url }: StoreLocation,
  { lockTimeout, onWarning = () => {} }: HookMemoryOptions,
): Promise<Store> {
  const options = { onWarning, ...(lockTimeout === undefined ? {} : { lockTimeout }) };
  const address = parseStoreAddress(url);
  if (address.kind === "sqlite") return sqliteStore({ ...address, ...options });
  return (await import("../stores/open-store.ts")).openStore(url, options);
}
