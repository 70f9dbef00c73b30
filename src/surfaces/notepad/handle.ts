import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import type { NotepadResult } from "./operations.ts";

type Done<Result> = Promise<AppliedOperation<Result>>;

/** The notepad, for programs. */
export interface Notepad {
  /** "" if nothing has been written yet. */
  read(): Promise<string>;
  write(content: string, options?: ApplyOptions): Done<NotepadResult>;
  append(content: string, options?: ApplyOptions): Done<NotepadResult>;
  prepend(content: string, options?: ApplyOptions): Done<NotepadResult>;
  replace(find: string, replacement: string, options?: ApplyOptions & { all?: boolean }): Done<NotepadResult>;
  delete(content: string, options?: ApplyOptions): Done<NotepadResult>;
}

export function notepadOf(session: SessionHandle): Notepad {
  return {
    read: async () => (await session.state()).row.notepad ?? "",
    write: (content, options) => session.apply({ type: "notepad.write", content }, options),
    append: (content, options) => session.apply({ type: "notepad.append", content }, options),
    prepend: (content, options) => session.apply({ type: "notepad.prepend", content }, options),
    replace: (find, replace, { all = false, ...options } = {}) =>
      session.apply({ type: "notepad.replace", find, replace, all }, options),
    delete: (content, options) => session.apply({ type: "notepad.delete", content }, options),
  };
}
