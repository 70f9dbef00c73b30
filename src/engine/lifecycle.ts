import type { Draft } from "./draft.ts";
import type { Outcome } from "./operations.ts";
import type { SessionStatus } from "./state.ts";

export type LifecycleOperation =
  | { type: "session.rename"; title: string | null }
  | { type: "session.status"; status: SessionStatus }
  | { type: "session.fork"; child: string };

export type LifecycleResult = { revision: number };

export function applyLifecycle(draft: Draft, operation: LifecycleOperation): Outcome<LifecycleResult> {
  const revision = draft.row.revision + 1;
  switch (operation.type) {
    case "session.rename":
      draft.changes.push({ type: "field", field: "title", before: draft.row.title, after: operation.title });
      break;
    case "session.status":
      draft.changes.push({
        type: "field",
        field: "status",
        before: draft.row.status,
        after: operation.status,
      });
      break;
    case "session.fork":
      draft.changes.push({ type: "forked", before: draft.row.lastFork, after: revision });
      break;
  }
  return { result: { revision }, warnings: [] };
}
