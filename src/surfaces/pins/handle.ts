import type { Pin } from "../../engine/records.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import { type ListedPin, listPins, type PinResult } from "./operations.ts";

type Done = Promise<AppliedOperation<PinResult>>;

/** What the user demands or forbids, for programs. */
export interface Pins {
  /** Oldest first. */
  list(): Promise<ListedPin[]>;
  pin(text: string, options?: ApplyOptions): Done;
  unpin(id: string, options?: ApplyOptions): Done;
}

export function pinsOf(session: SessionHandle): Pins {
  return {
    list: async () => listPins(await session.state()),
    pin: (text, options = {}) => session.apply({ type: "pins.pin", text, by: authorOf(options) }, options),
    unpin: (id, options = {}) => session.apply({ type: "pins.unpin", id, by: authorOf(options) }, options),
  };
}

function authorOf({ actor }: ApplyOptions): Pin["by"] {
  return actor?.kind === "person" || actor?.kind === "system" ? actor.kind : "agent";
}
