import type { State } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import type { WorkspaceConfig } from "../../workspace/config.ts";
import { openHookMemory, stampOf } from "../../workspace/hook-memory.ts";
import type { Project } from "../../workspace/project.ts";
import { locateStore, type StoreFlags, type StoreLocation } from "../../workspace/store-location.ts";
import { memoryOf } from "../session-link.ts";
import type { HookReply } from "./answer.ts";
import type { HookEvent } from "./event.ts";
import { followEvent } from "./follow-event.ts";
import { type MemoryText, renderMemory } from "./memory-text.ts";
import { type HookState, newHookState, readHookState } from "./state.ts";

export interface HookRun {
  event: HookEvent;
  project: Project;
  config: WorkspaceConfig;
  /** The options that name a store, if they were given. */
  flags?: StoreFlags;
  /** Called at most once, as soon as the answer is known; what has to be written is written after it. */
  answer: (reply: HookReply) => void;
  /** Told of what went wrong without standing in the way of the answer. */
  fail: (error: unknown) => void;
}

/** One event with all that its handling needs; the database is opened only when it is asked for. */
export interface Scene extends HookRun {
  place: StoreLocation;
  /** What earlier hooks of this conversation left; undefined for the first. */
  known: HookState | undefined;
  /** What this one leaves. */
  state: HookState;
  sessionId: string;
  memory(mayCreate?: boolean): Promise<Memory | undefined>;
  close(): Promise<void>;
}

export async function setScene(run: HookRun): Promise<Scene> {
  const { event, project, fail } = run;
  const { hostSession } = event;
  const host = event.host.name;
  const place = locateStore({ project, cwd: event.cwd, flags: run.flags, config: run.config });
  let opened: Memory | undefined;
  const memory = async (mayCreate = false) => {
    opened ??= await openHookMemory(project, place, mayCreate);
    return opened;
  };
  const known = readHookState(project.directory, host, hostSession);
  let sessionId = memoryOf(project.directory, host, hostSession);
  try {
    sessionId = await followEvent(event, project, memory);
  } catch (error) {
    // Where no link can be written the memory can be read all the same.
    fail(error);
  }
  const state = known ? structuredClone(known) : newHookState();
  return { ...run, place, known, state, sessionId, memory, close: async () => opened?.close() };
}

/** The session, if it has ever been written to. */
export async function findSession(scene: Scene): Promise<Session | undefined> {
  const memory = await scene.memory();
  if (memory) return memory.findSession(scene.sessionId);
  scene.fail(
    new HoldfastError(
      "not_found",
      `There is no database at ${scene.place.file}. It is made when the first note is written; if there was one, look where it went.`,
    ),
  );
  return undefined;
}

/** The session, made when there is none. */
export async function openSession(scene: Scene): Promise<Session> {
  const memory = await scene.memory(true);
  if (!memory) throw new HoldfastError("store_failed", `${scene.place.file} could not be made.`);
  return memory.openSession(scene.sessionId);
}

/** The conversation has now been shown this state of the memory. */
export function markSeen(scene: Scene, state: State | undefined, stamp = stampOf(scene.place)): void {
  scene.state.seen = state?.row.revision ?? 0;
  scene.state.stamp = stamp;
}

export function memoryText(scene: Scene, text: Omit<MemoryText, "sessionId" | "clean">): string {
  const whole = renderMemory({ ...text, sessionId: scene.sessionId });
  const { escaping } = scene.event.host;
  if (!escaping || escaping.escape(whole) === whole) return whole;
  const hints = [...(text.hints ?? []), escaping.hint];
  return renderMemory({ ...text, hints, sessionId: scene.sessionId, clean: escaping.escape });
}
