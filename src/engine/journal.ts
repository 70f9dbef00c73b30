import type { Json } from "./json.ts";
import type { Change } from "./state.ts";

/** Who made a change. A sub-session writes under its own id. */
export interface Actor {
  kind: "agent" | "person" | "sub-session" | "import" | "system";
  name?: string;
}

/** An operation as the journal stores it. */
export type LoggedOperation = { type: string; [field: string]: unknown };

/** One accepted operation. Revisions number the entries in order. */
export interface JournalEntry<Logged extends LoggedOperation = LoggedOperation> {
  revision: number;
  at: number;
  actor: Actor;
  surface: string;
  operation: Logged;
  changes: Change[];
  /** The caller's idempotency key; a repeated call returns `result` again. */
  key: string | null;
  result: Json;
}

/** The first entry of every session. */
export type SessionBirth =
  | { type: "session.create" | "session.import" | "session.redact" }
  | { type: "session.forked"; from: string; at: number };
