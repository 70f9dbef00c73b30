import type { JournalEntry } from "./journal.ts";
import type { Json } from "./json.ts";
import type { RecordKind } from "./records.ts";
import type { SessionRow } from "./state.ts";

/** A session as one JSON document: export writes it, import reads it. */
export interface SessionExport {
  format: "holdfast-session";
  version: 1;
  session: Pick<SessionRow, "id" | "agent" | "title" | "parent" | "createdAt" | "updatedAt" | "revision">;
  notepad: string | null;
  records: Partial<Record<RecordKind, Record<string, Json>>>;
  journal: JournalEntry[];
}
