import { shortHash } from "../../engine/short-hash.ts";
import type { State } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { notifySurfaces } from "../../surfaces/notify.ts";
import { hasNotes } from "../../surfaces/project/location.ts";
import type { LifecycleEvent, LifecycleSurface } from "../../surfaces/surface.ts";
import {
  limitsOf,
  longestWait,
  offers,
  retentionOf,
  settingValue,
  type WorkspaceConfig,
} from "../../workspace/config.ts";
import { openWithoutTools } from "../../workspace/memory-without-tools.ts";
import type { Project } from "../../workspace/project.ts";
import { locateStore, type StoreFlags, type StoreLocation, stampOf } from "../../workspace/store-location.ts";
import { findLink, type LinkPlace, linkSession, memoryOf, sessionIdOf } from "../session-link.ts";
import { readPart } from "../transcript/json-files.ts";
import type { HookEvent, HookReply } from "./event.ts";
import { handoffRoom, type MemoryText, type RenderedMemory, renderMemory } from "./memory-text.ts";
import { type HookState, newHookState, readHookState, wasMemoryShown } from "./state.ts";

/** One event, and where it belongs. */
export interface HookRun {
  event: HookEvent;
  project: Project;
  config: WorkspaceConfig;
  /** The command line options that name a store. */
  flags?: StoreFlags;
  /** Surfaces that react to lifecycle events of the conversation (default: NOTES.md, if the project has one). */
  surfaces?: readonly LifecycleSurface[];
  /** Called at most once, as soon as the answer is known; writes come after it. */
  answer: (reply: HookReply) => void;
  /** Reports a failure without delaying the answer. */
  fail: (error: unknown, code?: string) => void;
  /** Called when everything that later events need is written: the rest may be cut off. */
  recorded?: () => void;
}

/** One event with everything needed to handle it; the database is opened only on demand. */
export interface HookContext extends HookRun {
  store: StoreLocation;
  /** The state from earlier hooks of this conversation; undefined for the first. */
  known: HookState | undefined;
  /** The state for later hooks. */
  state: HookState;
  sessionId: string;
  /** The memory of the project's store; undefined if there is no store and none may be created. */
  openStore(mayCreate?: boolean): Promise<Memory | undefined>;
  close(): Promise<void>;
}

/** Finds the session of an event. */
export async function openHook(run: HookRun): Promise<HookContext> {
  const { event, project, fail } = run;
  const { hostSession } = event;
  const host = event.host.name;
  const store = locateStore({ project, cwd: event.cwd, flags: run.flags, config: run.config });
  let opened: Memory | undefined;
  const openStore = async (mayCreate = false) => {
    opened ??= await openWithoutTools(project, store, mayCreate, {
      secrets: run.config.values.secrets,
      retention: retentionOf(run.config),
      limits: limitsOf(run.config),
      handoff: settingValue(run.config, "handoff"),
      onSecret: (notice) => fail(new Error(notice), "secret"),
      // The deadline of the hook would end a longer wait without a state for the next event.
      lockTimeout: Math.min(
        settingValue(run.config, "interactiveLockTimeout") ?? Number.POSITIVE_INFINITY,
        longestWait(run.config),
      ),
    });
    return opened;
  };
  const known = readHookState(project.directory, host, hostSession);
  let sessionId = memoryOf(project.directory, host, hostSession);
  try {
    sessionId = await chooseSession(event, project, openStore);
  } catch (error) {
    // Memory can be read even if the link cannot be written.
    fail(error);
  }
  const state = known ? structuredClone(known) : newHookState();
  return { ...run, store, known, state, sessionId, openStore, close: async () => opened?.close() };
}

/** The session, if it has ever been written to. */
export async function findHookSession(hook: HookContext): Promise<Session | undefined> {
  const memory = await hook.openStore();
  if (memory) return memory.findSession(hook.sessionId);
  if (wasMemoryShown(hook.project.directory))
    hook.fail(
      new HoldfastError(
        "not_found",
        `There is no database at ${hook.store.file}, although this project had a memory. Check where it went; the next note creates a new one.`,
      ),
    );
  return undefined;
}

/** The memory of the session or, before its first write, the rules that the user pinned for the whole project. */
export async function readMemory(
  hook: HookContext,
  session: Session | undefined,
): Promise<State | undefined> {
  if (session) return session.state();
  const memory = await hook.openStore();
  const projectPins = (await memory?.projectPins()) ?? [];
  if (!memory || projectPins.length === 0) return undefined;
  const { row } = await (await memory.project()).state();
  return {
    row: { ...row, id: hook.sessionId, revision: 0, notepad: null },
    resident: new Map(),
    projectPins,
  };
}

/** The session, created if it does not exist. */
export async function openHookSession(hook: HookContext): Promise<Session> {
  const memory = await hook.openStore(true);
  if (!memory) throw new HoldfastError("store_failed", `${hook.store.file} could not be created.`);
  return memory.openSession(hook.sessionId);
}

/** Whether the user has pinned or unpinned a rule of the whole project since the memory was last shown. */
export function hasOtherPins({ known }: HookContext, state: State | undefined): boolean {
  return hashOfPins(state) !== (known?.pins ?? "");
}

/** The project's pins, which change without a revision of the session; "" without any. */
function hashOfPins(state: State | undefined): string {
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

/** The inputs of a memory's text in addition to the memory. */
function settingOfHook(hook: HookContext) {
  const { sessionId, event, config } = hook;
  return {
    sessionId,
    escaping: event.host.escaping,
    offers: (surface: string) => offers(config, surface),
    hasTools: hasTools(hook),
    secrets: config.values.secrets,
  };
}

/** Whether the agent has the tools of our server: the user may have declined it. */
export function hasTools({ event, project }: Pick<HookContext, "event" | "project">): boolean {
  return !event.host.isServerDeclined?.(project.root);
}

/** Whether any surface reacts to lifecycle events of this conversation. */
export function reactsToLifecycle(hook: HookContext): boolean {
  return hook.surfaces ? hook.surfaces.length > 0 : hasProjectNotes(hook);
}

/** Notifies the surfaces of a lifecycle event of the conversation; their failures are reported but never block the hook. */
export async function notify(hook: HookContext, event: LifecycleEvent): Promise<void> {
  if (!reactsToLifecycle(hook)) return;
  const session = { id: hook.sessionId, agent: "default" };
  for (const warning of await notifySurfaces(await surfacesOf(hook), session, event))
    hook.fail(new Error(warning));
}

/** Loaded only if the project has NOTES.md: most have none, and agents wait for their hooks. */
async function surfacesOf(hook: HookContext): Promise<readonly LifecycleSurface[]> {
  if (hook.surfaces) return hook.surfaces;
  const { projectLifecycle } = await import("../../surfaces/project/lifecycle.ts");
  return [projectLifecycle({ ...notesOf(hook), agent: hook.event.host.name })];
}

/** Level 1 of NOTES.md, shown at the start of a conversation and after a compaction; "" without NOTES.md. */
export async function projectText(hook: HookContext): Promise<string> {
  if (!hasProjectNotes(hook)) return "";
  const { recoverProject, resolvedLines } = await import("../../surfaces/project/lifecycle.ts");
  const { text, blockers, warnings } = await recoverProject(notesOf(hook));
  for (const warning of warnings) hook.fail(new Error(warning));
  return [text, ...resolvedLines(blockers)].filter((line) => line !== "").join("\n");
}

function hasProjectNotes(hook: HookContext): boolean {
  const { root, path } = notesOf(hook);
  return offers(hook.config, "project") && hasNotes(root, path);
}

/** Where the project's NOTES.md is. */
function notesOf({ project, config }: HookContext): { root: string; path: string | undefined } {
  return { root: project.root, path: config.values["project.file"] };
}

/**
 * Chooses the session of the host's conversation. A new conversation gets a new session. A resumed or compacted one keeps
 * its session, `/clear` passes it to the next conversation, and a fork gets a copy.
 */
async function chooseSession(
  event: HookEvent,
  { directory }: Project,
  openMemory: () => Promise<Memory | undefined>,
): Promise<string> {
  const { hostSession, cwd, kind, source } = event;
  const host = event.host.name;
  const here = { directory, cwd, host, hostSession };
  const isOwn = memoryOf(directory, host, hostSession) === sessionIdOf(host, hostSession);
  if (kind !== "session-start" || source === "startup" || !isOwn) return linkSession(here);
  const previous = previousSession(event, here);
  if (source === "clear") return linkSession({ ...here, continues: previous });
  // Link before querying the database, which may be slow.
  const own = linkSession(here);
  const memory = await openMemory();
  if (!memory || (await memory.findSession(own))) return own;
  const parent = parentSession(event, directory, previous);
  if (parent === undefined) return own;
  if (source !== "fork") return linkSession({ ...here, continues: parent });
  await fork(memory, parent, own);
  return own;
}

function previousSession({ host, hostSession }: HookEvent, place: LinkPlace): string | undefined {
  const link = findLink(place, host.name);
  return link && link.hostSession !== hostSession ? link.session : undefined;
}

/** The session of the parent conversation: named by the host, by the transcript, or else the last one here. */
function parentSession(
  event: HookEvent,
  directory: string,
  previous: string | undefined,
): string | undefined {
  const named = event.parent || copiedFrom(event);
  if (named !== "") return memoryOf(directory, event.host.name, named);
  return event.source === "resume" ? undefined : previous;
}

/** A copied transcript names the conversation it was copied from. */
function copiedFrom({ transcript, hostSession }: HookEvent): string {
  const start = readPart(transcript, { until: 256_000 }) ?? "";
  const ids = [...start.matchAll(/"(?:sessionId|forked_from_id)"\s*:\s*"([\w-]{1,100})"/g)].map(
    ([, id = ""]) => id,
  );
  return ids.find((id) => id !== hostSession) ?? "";
}

async function fork(memory: Memory, parent: string, id: string): Promise<void> {
  try {
    await memory.forkSession(parent, { id });
  } catch (error) {
    // The parent never wrote anything, or another hook created the fork first.
    const code = error instanceof HoldfastError ? error.code : "";
    if (code !== "session_not_found" && code !== "session_exists") throw error;
  }
}
