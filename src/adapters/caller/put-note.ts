import { normaliseTexts } from "../../engine/text.ts";
import { isHoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";

interface KeyedNote {
  /** The notes under the same key. */
  find: () => Promise<readonly { id: string }[]>;
  content: string;
  tag: string;
}

/** Updates the note under a key, or adds it. Both are one step, so that two puts at once, in any process, make one note. */
export async function putNote(session: Session, { find, content, tag }: KeyedNote): Promise<void> {
  await session.change(
    // If another process writes between the look and the commit, the session looks again.
    async () => {
      const [known] = await find();
      return known
        ? normaliseTexts({ type: "notes.update" as const, id: known.id, content })
        : normaliseTexts({ type: "notes.add" as const, content, tags: [tag] });
    },
    () => true,
  );
}

/** Deletes notes, also if someone else deletes them at the same time. */
export async function deleteNotes(session: Session, notes: readonly { id: string }[]): Promise<void> {
  for (const { id } of notes) {
    await session.notes.delete(id).catch((error) => {
      if (!isHoldfastError(error) || error.code !== "not_found") throw error;
    });
  }
}
