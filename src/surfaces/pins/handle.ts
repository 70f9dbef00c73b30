import type { Pin } from "../../engine/records.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import { holdsAlready, type ListedPin, listPins, type PinResult, samePin } from "./operations.ts";

type Done = Promise<AppliedOperation<PinResult>>;

/** The pins, for programs. */
export interface Pins {
  /** The project's first, each oldest first. */
  list(): Promise<ListedPin[]>;
  pin(text: string, options?: ApplyOptions): Done;
  unpin(id: string, options?: ApplyOptions): Done;
}

export function pinsOf(session: SessionHandle): Pins {
  return {
    list: async () => listPins(await session.state()),
    async pin(text, options = {}) {
      const by = authorOf(options);
      const state = await session.state();
      const same = typeof text === "string" ? samePin(state, session.hideSecrets(text)) : undefined;
      // Agents pin the same words again and again: without a revision, undo does not meet one that changed nothing.
      // A person's pin keeps its revision, because the page offers to undo it.
      if (same && by !== "person" && holdsAlready(state, same, by)) {
        const result = { id: same.id, text: same.text };
        return { result, warnings: [], revision: state.row.revision, repeated: false, state };
      }
      return session.apply({ type: "pins.pin", text, by }, options);
    },
    async unpin(id, options = {}) {
      const by = authorOf(options);
      const { projectPins = [] } = await session.state();
      const isOfProject = by === "person" && projectPins.some((pin) => pin.id === id.trim());
      const holder = isOfProject ? await session.project() : session;
      return holder.apply({ type: "pins.unpin", id, by }, options);
    },
  };
}

function authorOf({ actor }: ApplyOptions): Pin["by"] {
  return actor?.kind === "person" || actor?.kind === "system" ? actor.kind : "agent";
}
