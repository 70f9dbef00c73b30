import type { Pin } from "../../engine/records.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import { type ListedPin, listPins, type PinResult } from "./operations.ts";

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
      await session.state();
      return session.apply({ type: "pins.pin", text, by: authorOf(options) }, options);
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
