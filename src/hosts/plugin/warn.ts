import { warningFor } from "../../compaction/notices.ts";
import { warnFrom } from "../../compaction/usage.ts";
import { readEpoch } from "../../engine/conversation.ts";
import type { Session } from "../../sessions/session.ts";

/**
 * The warning, once since the last compaction, if the context holds so many `tokens` that only a short turn still fits
 * before the host compacts at `limit`; "" otherwise.
 */
export async function warn(
  session: Session,
  { tokens, limit }: { tokens: number; limit: number },
): Promise<string> {
  if (tokens < warnFrom(limit)) return "";
  const state = await session.state();
  if (readEpoch(state).warning !== "none") return "";
  const before = state.row.counters.lastMessage + 1;
  const text = warningFor((await session.context()).surfaces);
  const warning = { type: "context.warn" as const, trigger: "host" as const, before, text };
  await session.apply(warning, { actor: { kind: "system" } });
  return text;
}
