import { existsSync } from "node:fs";
import { basename } from "node:path";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { defaultLimits, type Limits } from "../engine/limits.ts";
import type { RetentionRules } from "../engine/retention.ts";
import { HoldfastError } from "../errors.ts";
import { makeGuard } from "../secrets/guard.ts";
import type { SecretPolicy } from "../secrets/redact.ts";
import { Memory } from "../sessions/memory.ts";
import { makeSessionId } from "../sessions/options.ts";
import { openStore, parseStoreAddress } from "../stores/open-store.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import type { Store } from "../stores/store.ts";
import type { Toolbox } from "../surfaces/toolbox.ts";
import { limitsOf, retentionOf, type WorkspaceConfig } from "./config.ts";
import { explainProblems, isOfFile, requireValid } from "./config-file.ts";
import { type Project, prepareProjectStore } from "./project.ts";
import type { StoreLocation } from "./store-location.ts";
import { type FindWorkspaceOptions, findExistingWorkspace } from "./workspace.ts";

export interface WithoutToolsOptions {
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
export async function openWithoutTools(
  project: Project,
  store: StoreLocation,
  mayCreate: boolean,
  options: WithoutToolsOptions = {},
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
  { lockTimeout, onWarning = () => {} }: WithoutToolsOptions,
): Promise<Store> {
  const options = { onWarning, ...(lockTimeout === undefined ? {} : { lockTimeout }) };
  const address = parseStoreAddress(url);
  if (address.kind === "sqlite") return sqliteStore({ ...address, ...options });
  return openStore(url, options);
}

/** As `openExistingMemory`, for a command that calls no tools: their schemas take longer to load than it runs. */
export async function openMemoryToRead(options: FindWorkspaceOptions): Promise<Memory> {
  const workspace = await findExistingWorkspace(options, warnOfFiles);
  const { project, config, store } = workspace;
  const memory = await openWithoutTools(project, store, false, {
    secrets: config.values.secrets,
    retention: retentionOf(config),
    limits: limitsOf(config),
    onWarning: console.warn,
  });
  if (memory) return memory;
  return (await import("./open-memory.ts")).openMemoryIn(workspace);
}

/** A file that cannot be read must not keep the user from the memory. Throws on a single setting that is wrong. */
async function warnOfFiles({ problems }: Pick<WorkspaceConfig, "problems">): Promise<void> {
  const [files, settings] = [problems.filter(isOfFile), problems.filter((problem) => !isOfFile(problem))];
  await requireValid({ problems: settings });
  for (const problem of await explainProblems({ problems: files })) console.warn(`holdfast: ${problem}`);
}

/** No surfaces: tools need a schema library, and loading it takes longer than a hook may run. */
export const emptyToolbox: Toolbox = {
  tools: [],
  presentAs: () => emptyToolbox,
  changeable: new Set(),
  needsAgent: [],
  describe: () => [],
  extraTools: () => [],
  refresh: async () => {},
  context: () => ({ surfaces: [], guidance: "", blocks: [], ends: {}, system: "", message: "" }),
  notify: async () => [],
  dispatch: async () => {
    throw new HoldfastError("unknown_tool", "This memory was opened without tools.");
  },
};
