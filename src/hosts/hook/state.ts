import { join } from "node:path";
import { type NudgeFacts, newNudgeFacts } from "../../compaction/nudges.ts";
import { isObject } from "../../engine/json.ts";
import { namesIn, readSmallFile, writeSmallFile } from "../../workspace/small-file.ts";
import { sessionIdOf } from "../session-link.ts";
import type { HookEvent, HookKind } from "./event.ts";
import type { OpenTurn } from "./turn.ts";

/**
 * State passed between the hooks of one conversation. Losing it is harmless: memory is then shown once too often. The
 * phase of a compaction is not in here; it follows from the session. The file is stored with the links and dropped with
 * old ones.
 */
export interface HookState {
  /** The memory revision last shown to the conversation. */
  seen: number;
  /** A hash of the project's pins that it was shown; "" or undefined without any. */
  pins?: string;
  /** The stamp of the database file at that time. */
  stamp: string;
  /** The agent has written to its memory since then. */
  hasWritten?: boolean;
  /** The previous event. */
  last?: LastEvent | undefined;
  /** The session has started; the next prompt shows what there is to show. */
  start?: HookEvent["source"] | undefined;
  /** How far the transcript was searched for a summary, in bytes, and the hash of the last one found. */
  searched?: { to: number; summary: string };
  nudges: NudgeFacts;
  /** The current turn, until its end is reported. */
  turn?: OpenTurn | undefined;
  /** When the conversation was last compacted. */
  compactedAt?: number;
  /** The warning since the last compaction. */
  warned?: GivenWarning | undefined;
  /** A compaction that could not be shown or recorded in time; the next event of the conversation does it. */
  missed?: MissedCompaction | undefined;
  /** The report of the last compaction that the model was shown. */
  report?: string | undefined;
  /** When the conversation ended, if it did. */
  ended?: string | undefined;
  /** The host's transcript and working directory, for people who look at the session. */
  transcript?: string;
  cwd?: string;
}

export interface GivenWarning {
  /** The memory's revision at that time. */
  revision: number;
  /** The compaction was put off once, so that the agent could answer. */
  isPutOff?: boolean;
  /** The agent was warned again at the end of its turn. */
  isRepeated?: boolean;
}

export interface MissedCompaction {
  /** The model was shown its memory; only the records are missing. */
  isShown: boolean;
}

/** The previous event of the conversation. */
export interface LastEvent {
  kind: HookKind;
  /** When it came, if it is a prompt whose hook the host may start together with that of the session's start. */
  at?: number;
  /** A session start that resumed the conversation. */
  isResume: boolean;
  /** Its answer showed the model a compaction. */
  showedCompaction: boolean;
}

export function newHookState(): HookState {
  return { seen: 0, stamp: "", nudges: newNudgeFacts() };
}

export function readHookState(directory: string, host: string, hostSession: string): HookState | undefined {
  const value = readSmallFile(stateFile(directory, host, hostSession));
  if (!value || typeof value.seen !== "number" || !isObject(value.nudges)) return undefined;
  return { ...newHookState(), ...(value as Partial<HookState>) };
}

export function writeHookState(directory: string, host: string, hostSession: string, state: HookState): void {
  writeSmallFile(stateFile(directory, host, hostSession), state);
}

/** Whether any conversation of the project was shown a memory: a project that never had one misses none. */
export function wasMemoryShown(directory: string): boolean {
  const links = join(directory, "links");
  return namesIn(links).some((name) => {
    const seen = name.startsWith("state-") ? readSmallFile(join(links, name))?.seen : 0;
    return typeof seen === "number" && seen > 0;
  });
}

/** Notes that a compaction was not recorded, from outside the thread that was to do it. Durable before the hook ends. */
export function noteMissed(directory: string, host: string, hostSession: string, isShown: boolean): void {
  const path = stateFile(directory, host, hostSession);
  const state = readHookState(directory, host, hostSession) ?? newHookState();
  writeSmallFile(path, { ...state, missed: { isShown } }, { isDurable: true });
}

export function stateFile(directory: string, host: string, hostSession: string): string {
  return join(directory, "links", `state-${sessionIdOf(host, hostSession)}.json`);
}
