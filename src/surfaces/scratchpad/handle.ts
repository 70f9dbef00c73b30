import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import { readScratchpad, type Scratchpad, type ScratchpadResult } from "./operations.ts";

type Done<Result> = Promise<AppliedOperation<Result>>;

/** The scratchpad's three spaces, for programs. */
export interface ScratchpadHandle {
  read(): Promise<Scratchpad>;
  setNotes(content: string, options?: ApplyOptions): Done<ScratchpadResult>;
  appendNotes(content: string, options?: ApplyOptions): Done<ScratchpadResult>;
  setPlan(content: string, options?: ApplyOptions): Done<ScratchpadResult>;
  addRef(ref: string, options?: ApplyOptions): Done<ScratchpadResult>;
  removeRef(ref: string, options?: ApplyOptions): Done<ScratchpadResult>;
  setRefs(items: string[], options?: ApplyOptions): Done<ScratchpadResult>;
}

export function scratchpadOf(session: SessionHandle): ScratchpadHandle {
  return {
    read: async () => readScratchpad(await session.state()),
    setNotes: (content, options) => session.apply({ type: "scratchpad.set_notes", content }, options),
    appendNotes: (content, options) => session.apply({ type: "scratchpad.append_notes", content }, options),
    setPlan: (content, options) => session.apply({ type: "scratchpad.set_plan", content }, options),
    addRef: (ref, options) => session.apply({ type: "scratchpad.refs_add", ref }, options),
    removeRef: (ref, options) => session.apply({ type: "scratchpad.refs_remove", ref }, options),
    setRefs: (items, options) => session.apply({ type: "scratchpad.refs_set", items }, options),
  };
}
