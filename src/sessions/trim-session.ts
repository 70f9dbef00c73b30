import { readEpoch } from "../engine/conversation.ts";
import { firstKept, type RetentionRules } from "../engine/retention.ts";
import type { SessionSummary, Store } from "../stores/store.ts";
import { planCallTrim, type Trimming } from "../stores/trim.ts";
import { scopeOf } from "./lineage.ts";
import { loadState } from "./load-state.ts";

/** Entries removed in one step. */
const batch = 500;

export type TrimStore = Store & { readonly trimming: Trimming };

/** Removes one batch of a session's old history and model calls; true if nothing is left to remove. */
export async function trimSession(
  store: TrimStore,
  session: SessionSummary,
  conditions: Conditions,
): Promise<boolean> {
  const hasNoOldEntries = await trimEntries(store, session, conditions);
  const hasNoOldCalls = await trimCalls(store, session, conditions);
  return hasNoOldEntries && hasNoOldCalls;
}

interface Conditions {
  rules: RetentionRules;
  now: number;
}

async function trimEntries(
  store: TrimStore,
  session: SessionSummary,
  conditions: Conditions,
): Promise<boolean> {
  const { rules, now } = conditions;
  const scope = scopeOf(session);
  const { trimming } = store;
  const newest = session.revision;
  const [first] = await trimming.oldest(scope, 1);
  const any = { newest, protectedFrom: newest, now };
  if (!first || firstKept([first], any, rules) <= first.revision) return true;
  const oldest = await trimming.oldest(scope, batch);
  const protectedFrom = await firstOfEpoch(store, session);
  const kept = firstKept(oldest, { newest, protectedFrom, now }, rules);
  const count = oldest.filter(({ revision }) => revision < kept).length;
  if (count === 0) return true;
  await trimming.dropEntries(scope, kept);
  return count < batch;
}

/** An agent that continues a conversation finds in the journal what changed since it was shown its memory. */
async function firstOfEpoch(store: Store, { owner, id, revision }: SessionSummary): Promise<number> {
  const state = await loadState({ store }, owner, id);
  return state && state.row.counters.lastMessage > 0 ? readEpoch(state).placed + 1 : revision;
}

async function trimCalls(
  store: TrimStore,
  session: SessionSummary,
  conditions: Conditions,
): Promise<boolean> {
  const { ledger, trimming } = store;
  const scope = scopeOf(session);
  const { rules, now } = conditions;
  const [first] = (await ledger?.calls(scope, { limit: 1 })) ?? [];
  if (!ledger || !first) return true;
  const plan = planCallTrim(await ledger.calls(scope, {}), now, rules);
  if (!plan) return true;
  // If a call was recorded meanwhile, the session is busy: the next sweep makes a new plan.
  return !(await trimming.dropCalls(scope, plan));
}
