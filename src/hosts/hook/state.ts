import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterTurn, type NudgeFacts, newNudgeFacts } from "../../compaction/nudges.ts";
import { namesIn, readSmallFile, writeSmallFile } from "../../workspace/small-file.ts";
import { sessionIdOf } from "../session-link.ts";
import type { HookEvent, HookKind } from "./event.ts";

/**
 * The notes that the hooks of one conversation leave for each other: the shown memory, and later events. Losing it is
 * harmless: memory is then shown once too often. How far a compaction has come follows from the session's records,
 * and `missed`, `report` and `last` tell what the host reports twice or too late. The file is stored with the links and dropped with old ones.
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
  /** The facts that decide on the next nudge; undefined before the first of them. */
  nudges?: NudgeFacts;
  /** The current turn, until its end is reported. */
  turn?: OpenTurn | undefined;
  /** When the conversation was last compacted. */
  compactedAt?: number;
  /** The warning since the last compaction. */
  warned?: GivenWarning | undefined;
  /**
   * A compaction that could not be recorded in time, so no record tells of it; the next event of the conversation does it.
   * If it is shown, only the records are missing.
   */
  missed?: { isShown: boolean } | undefined;
  /** The report of the last compaction that the model was shown. */
  report?: string | undefined;
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

/** The facts of the current turn. */
interface OpenTurn {
  wrote: boolean;
  compacted: boolean;
}

export function newHookState(): HookState {
  return { seen: 0, stamp: "" };
}

export function readHookState(directory: string, host: string, hostSession: string): HookState | undefined {
  const value = readSmallFile(stateFile(directory, host, hostSession));
  if (typeof value?.seen !== "number") return undefined;
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

export function nudgeFacts(state: HookState): NudgeFacts {
  state.nudges ??= newNudgeFacts();
  return state.nudges;
}

export function beginTurn(state: HookState): void {
  state.turn = { wrote: false, compacted: false };
}

/** Records that the agent wrote to its memory. */
export function noteWriting(state: HookState): void {
  if (state.turn) state.turn.wrote = true;
  else nudgeFacts(state).turnsSinceWrite = 0;
}

/** After a compaction the agent is to be warned again. */
export function forgetWarning(state: HookState): void {
  state.warned = undefined;
  state.compactedAt = Date.now();
}

/** Records a compaction, in a turn or between two. */
export function noteCompaction(state: HookState): void {
  forgetWarning(state);
  if (state.turn) state.turn.compacted = true;
  else nudgeFacts(state).compacted = true;
}

export function finishTurn(state: HookState, text: string): void {
  state.nudges = afterTurn(nudgeFacts(state), { wrote: false, compacted: false, ...state.turn, text });
  state.turn = undefined;
}

/** How often, in milliseconds, to look whether the other hook has ended. */
const lookEvery = 20;

/** A hook has ended by then, so its file, in milliseconds, was left by one that was killed. */
const maxHookTime = 60_000;

/**
 * Runs the hooks of one conversation one after another, for a host that starts several at once. `file` exists while one runs.
 * After `longest` milliseconds it runs anyway: an agent or a person waits. If there can be no such file, it runs at once.
 */
export async function inTurn(file: string, longest: number, work: () => Promise<void>): Promise<void> {
  const end = Date.now() + longest;
  let outcome = take(file);
  while (outcome === "taken" && Date.now() < end) {
    await setTimeout(lookEvery);
    outcome = take(file);
  }
  try {
    await work();
  } finally {
    if (outcome === "ours") rmSync(file, { force: true });
  }
}

function take(file: string): "ours" | "taken" | "impossible" {
  try {
    closeSync(openSync(file, "wx", 0o600));
    return "ours";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return "impossible";
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > maxHookTime) rmSync(file, { force: true });
    return "taken";
  }
}
