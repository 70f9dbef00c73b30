import { readEpoch } from "../engine/conversation.ts";
import { firstKept, type RetentionRules } from "../engine/retention.ts";
import type { SessionSummary, Store } from "../stores/store.ts";
import { planCallTrim, type Trimming } from "../stores/trim.ts";
import { scopeOf } from "./lineage.ts";
import { loadState } from "./load-state.ts";

/** What retention removes of one session that stays. */
export interface SessionTrim {
  entries: number;
  calls: number;
}

/** Entries removed in one step. */
const batch = 500;
/** Entries looked at when nothing is removed. */
const wholeBatch = 100_000;

export type TrimStore = Store & { readonly trimming: Trimming };

/**
 * Removes one batch of a session's old history and model calls; `isDone` if nothing is left to remove. With `isDryRun`,
 * counts all that would go.
 */
export async function trimSession(
  store: TrimStore,
  session: SessionSummary,
  { rules, now, isDryRun = false }: { rules: RetentionRules; now: number; isDryRun?: boolean },
): Promise<SessionTrim & { isDone: boolean }> {
  const entries = await trimEntries(store, session, { rules, now, isDryRun });
  const calls = await trimCalls(store, session, { rules, now, isDryRun });
  return { entries: entries.count, calls: calls.count, isDone: entries.isDone && calls.isDone };
}

interface Part {
  count: number;
  isDone: boolean;
}

interface Conditions {
  rules: RetentionRules;
  now: number;
  isDryRun: boolean;
}

const nothing: Part = { count: 0, isDone: true };

async function trimEntries(store: TrimStore, session: SessionSummary, conditions: Conditions): Promise<Part> {
  const { rules, now, isDryRun } = conditions;
  const scope = scopeOf(session);
  const { trimming } = store;
  const newest = session.revision;
  const [first] = await trimming.oldest(scope, 1);
  const any = { newest, protectedFrom: newest, now };
  if (!first || firstKept([first], any, rules) <= first.revision) return nothing;
  const limit = isDryRun ? wholeBatch : batch;
  const oldest = await trimming.oldest(scope, limit);
  const protectedFrom = await firstOfEpoch(store, session);
  const kept = firstKept(oldest, { newest, protectedFrom, now }, rules);
  const count = oldest.filter(({ revision }) => revision < kept).length;
  if (count === 0) return nothing;
  if (!isDryRun) await trimming.dropEntries(scope, kept);
  return { count, isDone: count < limit };
}

/** An agent that continues a conversation finds in the journal what changed since it was shown its memory. */
async function firstOfEpoch(store: Store, { owner, id, revision }: SessionSummary): Promise<number> {
  const state = await loadState({ store }, owner, id);
  return state && state.row.counters.lastMessage > 0 ? readEpoch(state).placed + 1 : revision;
}

async function trimCalls(store: TrimStore, session: SessionSummary, conditions: Conditions): Promise<Part> {
  const { ledger, trimming } = store;
  const scope = scopeOf(session);
  const { rules, now, isDryRun } = conditions;
  const [first] = (await ledger?.calls(scope, { limit: 1 })) ?? [];
  if (!ledger || !first) return nothing;
  const plan = planCallTrim(await ledger.calls(scope, {}), now, rules);
  if (!plan) return nothing;
  // If a call was recorded meanwhile, the session is busy: the next sweep makes a new plan.
  const isApplied = isDryRun || (await trimming.dropCalls(scope, plan));
  return { count: isApplied ? plan.remove.length : 0, isDone: isDryRun || !isApplied };
}
