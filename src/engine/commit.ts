import type { JournalEntry } from "./journal.ts";
import type { RecordKind, RecordValue } from "./records.ts";
import { applyChanges, type State } from "./state.ts";

/** The effect of one journal entry on the stored rows. */
export interface Step {
  state: State;
  notepadChanged: boolean;
  records: { kind: RecordKind; key: string; value: RecordValue | null }[];
}

/** The state after an entry, and the rows it writes. Replaying a journal calls this once per entry. */
export function step(before: State, entry: JournalEntry): Step {
  const after = applyChanges(before, entry.changes);
  const records = new Map<string, { kind: RecordKind; key: string; value: RecordValue | null }>();
  let notepadChanged = false;
  for (const change of entry.changes) {
    if (change.type === "record") {
      records.set(`${change.kind}/${change.key}`, {
        kind: change.kind,
        key: change.key,
        value: change.after,
      });
    } else if (change.type === "text") {
      const { target } = change;
      if (target === "notepad") notepadChanged = true;
      else
        records.set(target, {
          kind: "space",
          key: target.slice("space/".length),
          value: after.resident.get(target) ?? null,
        });
    }
  }
  const row = { ...after.row, revision: entry.revision, updatedAt: entry.at };
  return { state: { ...after, row }, notepadChanged, records: [...records.values()] };
}
