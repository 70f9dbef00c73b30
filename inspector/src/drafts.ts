import type { EditConflict } from "./api.ts";
import { createStore, useStore } from "./store.ts";

export type Conflict = EditConflict["conflict"];

/** A person's unsaved edit and the text it started from. Outlives the view, so that switching views loses nothing. */
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

/** The last saved text, shown until the session reloads. */
const saved = createStore<ReadonlyMap<string, Draft["base"]>>(new Map());

/** The current text: as loaded, or as saved since. */
export function useNewest(key: string, loaded: Draft["base"]): Draft["base"] {
  const ownSave = useStore(saved, (all) => all.get(key));
  return ownSave && ownSave.revision > loaded.revision ? ownSave : loaded;
}

export function noteSaved(key: string, base: Draft["base"]): void {
  saved.set(new Map(saved.get()).set(key, base));
}

addEventListener("beforeunload", (event) => {
  const isUnsaved = [...drafts.get().values()].some(({ base, text }) => base.text !== text);
  if (isUnsaved) event.preventDefault();
});
