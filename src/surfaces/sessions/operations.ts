import type { Handlers } from "../../engine/operations.ts";
import type { Child } from "../../engine/records.ts";
import { listResident, type State } from "../../engine/state.ts";

/** Without a child, the session forgets it. */
export type ChildOperation = { type: "children.set"; id: string; child: Child | null };

export type ChildResult = { id: string };

export const childOperations: Handlers<ChildOperation, ChildResult> = {
  "children.set"(draft, { id, child }) {
    draft.put("child", id, child && { ...child });
    return { result: { id }, warnings: [] };
  },
};

/** Delegated work by session id. */
export function readChildren(state: State): [id: string, child: Child][] {
  return listResident(state, "child");
}
