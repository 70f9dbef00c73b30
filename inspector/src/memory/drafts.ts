import type { EditConflict } from "../api.ts";
import { createStore, useStore } from "../store.ts";

export type Conflict = EditConflict["conflict"];

/** What a person is writing, and what they began with. It outlives the view, so that looking elsewhere loses nothing. */
export interface Draft {
  base: { revision: number; text: string };
  text: string;
  conflict?: Conflict | undefined;
}

const drafts = createStore<ReadonlyMap<string, Draft>>(new Map());

export function useDraft(key: string): Draft | undefined {
  return useStore(drafts, (all) => all.get(key));
}

export function setDraft(key: string, draft: Draft | undefined): void {
  const all = new Map(drafts.get());
  if (draft) all.set(key, draft);
  else all.delete(key);
  drafts.set(all);
}

/** What was saved last, shown until the session itself has been read again. */
const saved = createStore<ReadonlyMap<string, Draft["base"]>>(new Map());

/** The text as it stands: what was read of the session, or what was saved since. */
export function useNewest(key: string, read: Draft["base"]): Draft["base"] {
  const own = useStore(saved, (all) => all.get(key));
  return own && own.revision > read.revision ? own : read;
}

export function noteSaved(key: string, base: Draft["base"]): void {
  saved.set(new Map(saved.get()).set(key, base));
}

addEventListener("beforeunload", (event) => {
  const isUnsaved = [...drafts.get().values()].some(({ base, text }) => base.text !== text);
  if (isUnsaved) event.preventDefault();
});
