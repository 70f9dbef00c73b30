import type { Draft } from "./draft.ts";
import type { Handlers, Outcome } from "./operations.ts";
import type { SessionStatus } from "./state.ts";

export type LifecycleOperation =
  | { type: "session.rename"; title: string | null }
  | { type: "session.status"; status: SessionStatus }
  | { type: "session.fork"; child: string };

export type LifecycleResult = { revision: number };

export const lifecycleOperations: Handlers<LifecycleOperation, LifecycleResult> = {
  "session.rename"(draft, { title }) {
    draft.changes.push({ type: "field", field: "title", before: draft.row.title, after: title });
    return done(draft);
  },
  "session.status"(draft, { status }) {
    draft.changes.push({ type: "field", field: "status", before: draft.row.status, after: status });
    return done(draft);
  },
  "session.fork"(draft) {
    draft.changes.push({ type: "forked", before: draft.row.lastFork, after: draft.row.revision + 1 });
    return done(draft);
  },
};

function done(draft: Draft): Outcome<LifecycleResult> {
  return { result: { revision: draft.row.revision + 1 }, warnings: [] };
}
