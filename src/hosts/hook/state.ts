import { join } from "node:path";
import type { NudgeFacts } from "../../compaction/nudges.ts";
import { isObject } from "../../engine/json.ts";
import { readSmallFile, writeSmallFile } from "../../workspace/small-file.ts";
import { sessionIdOf } from "../session-link.ts";

/**
 * What the hooks of one conversation know of each other. Small and not precious: without it memory is shown once too
 * often. It lies with the links, which are dropped when they are old.
 */
export interface HookState {
  /** The revision of the memory that the conversation has been shown. */
  seen: number;
  /** The database file as it was then. */
  stamp: string;
  /** The compaction under way or last done. */
  compaction?: HostCompaction | undefined;
  /** The resumed conversation was told of its compaction before the host said that it was compacted. */
  toldEarly?: boolean | undefined;
  /** Tokens of the newest request, where the transcript says. */
  tokens?: number;
  turns: number;
  /** The turn in which the agent last wrote. */
  wrote: number;
  given: NudgeFacts["given"];
  lastText: string;
  /** The turn after which the conversation was last compacted. */
  compacted?: number | undefined;
  /** When the conversation ended, if it did. */
  ended?: string | undefined;
}

export interface HostCompaction {
  epoch: number;
  /** The transcript's size when it began. */
  size: number;
  /** Its receipt is written. */
  closed: boolean;
  /** The model has been shown its memory again. */
  told: boolean;
  /** The receipt takes the host's summary into account. */
  summarised: boolean;
}

export function newHookState(): HookState {
  return { seen: 0, stamp: "", turns: 0, wrote: 0, given: {}, lastText: "" };
}

export function readHookState(directory: string, host: string, hostSession: string): HookState | undefined {
  const value = readSmallFile(stateFile(directory, host, hostSession));
  if (!value || typeof value.seen !== "number" || !isObject(value.given)) return undefined;
  return { ...newHookState(), ...(value as Partial<HookState>) };
}

export function writeHookState(directory: string, host: string, hostSession: string, state: HookState): void {
  writeSmallFile(stateFile(directory, host, hostSession), state);
}

function stateFile(directory: string, host: string, hostSession: string): string {
  return join(directory, "links", `state-${sessionIdOf(host, hostSession)}.json`);
}
