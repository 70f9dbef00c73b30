import { shortHash } from "../../engine/short-hash.ts";
import type { State } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import type { MomentSurface } from "../../surfaces/surface.ts";
import { offers, settingValue, type WorkspaceConfig } from "../../workspace/config.ts";
import { openHookMemory } from "../../workspace/hook-memory.ts";
import { limitsOf, retentionOf } from "../../workspace/library-options.ts";
import type { Project } from "../../workspace/project.ts";
import { locateStore, type StoreFlags, type StoreLocation } from "../../workspace/store-location.ts";
import { stampOf } from "../../workspace/store-stamp.ts";
import { memoryOf } from "../session-link.ts";
import type { HookReply } from "./answer.ts";
import type { HookEvent } from "./event.ts";
import { followEvent } from "./follow-event.ts";
import { handoffRoom, type MemoryText, type RenderedMemory, renderMemory } from "./memory-text.ts";
import { type HookState, newHookState, readHookState, wasMemoryShown } from "./state.ts";

export interface HookRun {
  event: HookEvent;
  project: Project;
  config: WorkspaceConfig;
  /** The command line options that name a store. */
  flags?: StoreFlags;
  /** Surfaces that react to moments of the conversation (default: NOTES.md, if the project has one). */
  surfaces?: readonly MomentSurface[];
  /** Called at most once, as soon as the answer is known; writes come after it. */
  answer: (reply: HookReply) => void;
  /** Reports a failure without delaying the answer. */
  fail: (error: unknown, code?: string) => void;
}

/** One event with everything needed to handle it; the database is opened only on demand. */
export interface HookContext extends HookRun {
  store: StoreLocation;
  /** The state from earlier hooks of this conversation; undefined for the first. */
  known: HookState | undefined;
  /** The state for later hooks. */
  state: HookState;
  sessionId: string;
  memory(mayCreate?: boolean): Promise<Memory | undefined>;
  close(): Promise<void>;
}

export async function openContext(run: HookRun): Promise<HookContext> {
  const { event, project, fail } = run;
  const { hostSession } = event;
  const host = event.host.name;
  const store = locateStore({ project, cwd: event.cwd, flags: run.flags, config: run.config });
  let opened: Memory | undefined;
  const memory = async (mayCreate = false) => {
    opened ??= await openHookMemory(project, store, mayCreate, {
      secrets: run.config.values.secrets,
      retention: retentionOf(run.config),
      limits: limitsOf(run.config),
      handoff: settingValue(run.config, "handoff"),
      onSecret: (notice) => fail(new Error(notice), "secret"),
      patience: settingValue(run.config, "interactivePatience"),
    });
    return opened;
  };
  const known = readHookState(project.directory, host, hostSession);
  let sessionId = memoryOf(project.directory, host, hostSession);
  try {
    sessionId = await followEvent(event, project, memory);
  } catch (error) {
    // Memory can be read even if the link cannot be written.
    fail(error);
  }
  const state = known ? structuredClone(known) : newHookState();
  return { ...run, store, known, state, sessionId, memory, close: async () => opened?.close() };
}

/** The session, if it has ever been written to, or if the user pinned rules for the whole project. */
export async function findSession(hook: HookContext): Promise<Session | undefined> {
  const memory = await hook.memory();
  if (memory) {
    const found = await memory.findSession(hook.sessionId);
    if (found || (await memory.projectPins()).length === 0) return found;
    return memory.openSession(hook.sessionId);
  }
  if (wasMemoryShown(hook.project.directory))
    hook.fail(
      new HoldfastError(
        "not_found",
        `There is no database at ${hook.store.file}, although this project had a memory. Check where it went; the next note creates a new one.`,
      ),
    );
  return undefined;
}

/** The session, created if it does not exist. */
export async function openSession(hook: HookContext): Promise<Session> {
  const memory = await hook.memory(true);
  if (!memory) throw new HoldfastError("store_failed", `${hook.store.file} could not be created.`);
  return memory.openSession(hook.sessionId);
}

/** The project's pins, which change without a revision of the session; "" without any. */
export function hashOfPins(state: State | undefined): string {
  const pins = state?.projectPins ?? [];
  return pins.length === 0 ? "" : shortHash(JSON.stringify(pins));
}

/** Records that the conversation has been shown this state of the memory. */
export function markSeen(hook: HookContext, state: State | undefined, stamp = stampOf(hook.store)): void {
  hook.state.seen = state?.row.revision ?? 0;
  hook.state.pins = hashOfPins(state);
  hook.state.stamp = stamp;
  hook.state.hasWritten = false;
}

export function renderFor(
  hook: HookContext,
  memory: Omit<MemoryText, keyof ReturnType<typeof settingOfHook>>,
): RenderedMemory {
  return renderMemory({ ...memory, ...settingOfHook(hook) });
}

/** Bytes that this memory leaves for a handoff. */
export function handoffRoomFor(
  hook: HookContext,
  memory: Omit<MemoryText, "handoff" | keyof ReturnType<typeof settingOfHook>>,
): number {
  return handoffRoom({ ...memory, ...settingOfHook(hook) });
}

/** What a memory's text depends on besides the memory. */
function settingOfHook({ sessionId, event, config }: HookContext) {
  return {
    sessionId,
    escaping: event.host.escaping,
    offers: (surface: string) => offers(config, surface),
    secrets: config.values.secrets,
  };
}
