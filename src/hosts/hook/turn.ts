import { afterTurn, planNudge } from "../../compaction/nudges.ts";
import type { State } from "../../engine/state.ts";
import { isMemoryEmpty } from "../../surfaces/views.ts";
import { offers } from "../../workspace/config.ts";
import type { HookContext } from "./context.ts";
import type { HookState } from "./state.ts";

/** The facts of the current turn. */
export interface OpenTurn {
  wrote: boolean;
  compacted: boolean;
}

export function newTurn(): OpenTurn {
  return { wrote: false, compacted: false };
}

/** Records that the agent wrote to its memory. */
export function noteWriting({ turn, nudges }: HookState): void {
  if (turn) turn.wrote = true;
  else Object.assign(nudges, { wrote: true, turnsSinceWrite: 0 });
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
  else state.nudges.compacted = true;
}

export function finishTurn(state: HookState, text: string): void {
  state.nudges = afterTurn(state.nudges, { ...newTurn(), ...state.turn, text });
  state.turn = undefined;
}

/** The hint to give with the next prompt, or "". */
export function dueNudge({ state, config }: HookContext, memory: State | undefined): string {
  const isEmpty = !memory || isMemoryEmpty(memory, (surface) => offers(config, surface));
  const nudge = planNudge({ ...state.nudges, isEmpty }, config.nudges);
  if (!nudge) return "";
  state.nudges.given = nudge.given;
  return nudge.text;
}
