import { join } from "node:path";
import { type NudgeFacts, newNudgeFacts } from "../../compaction/nudges.ts";
import { isObject } from "../../engine/json.ts";
import { readSmallFile, writeSmallFile } from "../../workspace/small-file.ts";
import { sessionIdOf } from "../session-link.ts";
import type { HookKind } from "./event.ts";
import type { OpenTurn } from "./turn.ts";

/**
 * What the hooks of one conversation leave each other. Small and not precious: without it memory is shown once too
 * often. Where a compaction is follows from the session itself. The file is kept with the links, which are dropped
 * when they are old.
 */
export interface HookState {
  /** The revision of the memory that the conversation has been shown. */
  seen: number;
  /** The database file as it was then. */
  stamp: string;
  /** The event before this one. */
  last?: HookKind | undefined;
  /** Tokens of the newest request, where the transcript says. */
  tokens?: number;
  nudges: NudgeFacts;
  /** The turn under way, until its end is known. */
  turn?: OpenTurn | undefined;
  /** When the conversation ended, if it did. */
  ended?: string | undefined;
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

export function stateFile(directory: string, host: string, hostSession: string): string {
  return join(directory, "links", `state-${sessionIdOf(host, hostSession)}.json`);
}
