import type { Draft } from "../../engine/draft.ts";
import type { Outcome } from "../../engine/operations.ts";
import { listResident, type State } from "../../engine/state.ts";

/** How a delegated piece of work stands. */
export interface Child {
  task: string;
  kind: "spawn" | "fork";
  status: "running" | "completed" | "error" | "token_limit" | "time_limit" | "aborted" | "lost";
  /** The child's report, or why there is none. */
  result: string;
  tokens: number;
}

export type ChildOperation = { type: "children.set"; id: string; child: Child };

export type ChildResult = { id: string };

export function applyChildren(draft: Draft, { id, child }: ChildOperation): Outcome<ChildResult> {
  draft.put("child", id, { ...child });
  return { result: { id }, warnings: [] };
}

/** Delegated work by session id. */
export function readChildren(state: State): [id: string, child: Child][] {
  return listResident(state, "child") as unknown as [string, Child][];
}
