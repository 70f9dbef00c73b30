export type { Block, Context } from "./context/blocks.ts";
export { parseNotepad } from "./surfaces/notepad/block.ts";
export type { JournalEntry, Operation } from "./surfaces/operations.ts";
export { parseScratchpad } from "./surfaces/scratchpad/block.ts";
export type { AppliedOperation, ApplyOptions } from "./surfaces/session-handle.ts";
export type { ToolAnswer, ToolDescription } from "./surfaces/toolbox.ts";

import { estimateTokens } from "./context/estimate-tokens.ts";
import { cachedTokenizer, type Tokenizer } from "./context/tokens.ts";
import { defaultLimits, type Limits, limitKinds } from "./engine/limits.ts";
import {
  anything,
  checkOptions,
  listOf,
  type OptionKind,
  type OptionKinds,
  oneOf,
  text,
  toggle,
  wholeNumber,
} from "./engine/options.ts";
import { defaultRetention, keepEverything, type RetentionRules, retentionKinds } from "./engine/retention.ts";
import { HoldfastError } from "./errors.ts";
import { makeGuard } from "./secrets/guard.ts";
import { type SecretPolicy, secretPolicies } from "./secrets/redact.ts";
import { Memory } from "./sessions/memory.ts";
import { checkId, makeSessionId, type SurfaceChoice } from "./sessions/options.ts";
import { openStore, type StoreChoice } from "./stores/open-store.ts";
import { defaultSurfaces, findSurfaces, type SurfaceName } from "./surfaces/surfaces.ts";
import { createToolbox } from "./surfaces/toolbox.ts";

export interface MemoryOptions {
  /** A SQLite file, a URL (`sqlite:`, `postgres:`, `memory:`), or your own store. */
  store: StoreChoice;
  /** The forms of memory to offer (default: `notepad` and `notes`). */
  surfaces?: readonly SurfaceChoice[];
  /** The owner of the sessions (default: `local`); sessions of other owners are not accessible. */
  owner?: string;
  limits?: Partial<Limits>;
  /** The project that the sessions are of. They all show what a person pinned with `(await memory.project()).pins`. */
  project?: string;
  /** `enabled: false` removes the scratchpad's tool, block and guidance; `maxTokens` caps all its spaces together. */
  scratchpad?: { enabled?: boolean; maxTokens?: number };
  tokenizer?: Tokenizer;
  /**
   * Whether a compaction hands over the user's words, the to-do list and the last steps (default: true). With `false` nothing
   * is extracted from the conversation: the next context is the summary and the memory.
   */
  handoff?: boolean;
  /** The handling of secrets in stored text (default: `redact`). `refuse` rejects the write, `allow` stores them. */
  secrets?: SecretPolicy;
  /**
   * How long the store keeps history, model calls and removed sessions; applied in the background (default: see
   * `defaultRetention`). `false` keeps everything.
   */
  retention?: Partial<RetentionRules> | false;
  /** Called with warnings of the store and of the search for secrets (default: `console.warn`). */
  onWarning?: (warning: string) => void;
  /** Milliseconds to wait for a store that is locked or unreachable (default: the store's own). */
  lockTimeout?: number;
  /** For tests: milliseconds since 1970. */
  clock?: () => number;
  /** For tests: ids of new sessions. */
  makeId?: () => string;
}

const memoryOptions = {
  store: anything,
  surfaces: listOf(anything),
  owner: text,
  project: text,
  limits: limitKinds,
  scratchpad: { enabled: toggle, maxTokens: wholeNumber(1) },
  tokenizer: anything,
  handoff: toggle,
  secrets: oneOf(secretPolicies),
  retention: anything,
  onWarning: anything,
  lockTimeout: wholeNumber(0),
  clock: anything,
  makeId: anything,
} satisfies Record<keyof MemoryOptions, OptionKind | OptionKinds>;

/**
 * Opens a memory.
 *
 * @example
 * const memory = await openMemory({ store: "memory.db" });
 * const session = await memory.openSession("audit");
 * await session.notepad.append("- Sheet 1: 500 rows");
 * const { system } = await session.context();
 */
export async function openMemory(options: MemoryOptions): Promise<Memory> {
  if (!options?.store) {
    throw new HoldfastError(
      "invalid_input",
      `openMemory needs a "store": a file path, a URL such as "memory:", or your own store.`,
    );
  }
  checkOptions("openMemory", options, memoryOptions);
  const tokens = options.scratchpad?.maxTokens;
  const limits = {
    ...defaultLimits,
    ...options.limits,
    ...(tokens === undefined ? {} : { scratchpadTokens: tokens }),
  };
  const tokenizer = cachedTokenizer(options.tokenizer ?? { name: "estimate", count: estimateTokens });
  const countTokens = (text: string) => tokenizer.count(text);
  const guard = makeGuard(options.secrets, options.onWarning ?? console.warn);
  const isOff = options.scratchpad?.enabled === false;
  const makeToolbox = (surfaces: readonly SurfaceChoice[]) => {
    const chosen = surfaces.filter((name) => name !== "scratchpad" || !isOff);
    return createToolbox(findSurfaces(chosen), { limits, countTokens, guard });
  };
  const defaults: SurfaceName[] = [
    ...defaultSurfaces.memory,
    ...(options.scratchpad?.enabled ? ["scratchpad" as const] : []),
  ];
  const memory = new Memory({
    store: await openStore(options.store, {
      ...(options.onWarning ? { onWarning: options.onWarning } : {}),
      ...(options.lockTimeout === undefined ? {} : { lockTimeout: options.lockTimeout }),
    }),
    owner: checkId(options.owner ?? "local", "owner"),
    project: options.project,
    toolbox: makeToolbox(options.surfaces ?? defaults),
    makeToolbox,
    defaultSurfaces: options.surfaces ? undefined : defaults,
    limits,
    countTokens,
    guard,
    handoff: options.handoff ?? true,
    clock: options.clock ?? Date.now,
    makeId: options.makeId ?? makeSessionId,
    retention: retentionOf(options.retention),
  });
  memory.retention.start();
  return memory;
}

function retentionOf(given: MemoryOptions["retention"]): RetentionRules {
  if (given === false) return keepEverything;
  checkOptions("openMemory", { retention: given }, { retention: retentionKinds });
  return { ...defaultRetention, ...given };
}

export { estimateTokens } from "./context/estimate-tokens.ts";
export {
  type CalibratedTokenizer,
  cachedTokenizer,
  calibratedTokenizer,
  type Tokenizer,
} from "./context/tokens.ts";
export type { DiffLine } from "./engine/diff.ts";
export type { Actor } from "./engine/journal.ts";
export { defaultLimits, type Limits } from "./engine/limits.ts";
export { defaultRetention, type RetentionRules } from "./engine/retention.ts";
export type { SessionExport } from "./engine/session-document.ts";
export { type ErrorCode, HoldfastError, isHoldfastError } from "./errors.ts";
export type { SecretPolicy } from "./secrets/redact.ts";
export type { MemoryDiff, MemorySnapshot } from "./sessions/history.ts";
export type { Memory, NewSessionOptions, SessionQuery } from "./sessions/memory.ts";
export type { Session } from "./sessions/session.ts";
export type { Store, StoreOptions } from "./stores/store.ts";
export type { Note } from "./surfaces/notes/operations.ts";
export type { NoteMatches } from "./surfaces/notes/search.ts";
export type { Scratchpad } from "./surfaces/scratchpad/operations.ts";
export {
  type Call,
  defineTool,
  type LifecycleEvent,
  type LifecycleSurface,
  type Presentation,
  type Surface,
  type SurfaceView,
  type Tool,
} from "./surfaces/surface.ts";
export { type SurfaceName, surfaceNames } from "./surfaces/surfaces.ts";
