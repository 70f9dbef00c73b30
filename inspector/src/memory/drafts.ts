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

addEventListener("beforeunload", (event) => {
  const isUnsaved = [...drafts.get().values()].some(({ base, text }) => base.text !== text);
  if (isUnsaved) event.preventDefault();
});
