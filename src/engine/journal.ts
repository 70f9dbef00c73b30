import type { Operation } from "./operations.ts";
import type { Change, Json } from "./state.ts";

/** Who made a change. A sub-session writes under its own id. */
export interface Actor {
  kind: "agent" | "person" | "sub-session" | "import" | "system";
  name?: string;
}

/** One accepted operation. Its revision is its place in the order. */
export interface JournalEntry {
  revision: number;
  at: number;
  actor: Actor;
  surface: string;
  operation: Operation | SessionBirth;
  changes: Change[];
  /** The caller's idempotency key, and the answer it got. */
  key: string | null;
  result: Json;
}

/** The first entry of every session. */
export type SessionBirth =
  | { type: "session.create" | "session.import" }
  | { type: "session.forked"; from: string; at: number };
