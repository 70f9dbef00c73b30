import type { Receipt } from "../engine/records.ts";
import { normaliseTexts } from "../engine/text.ts";
import { blocksToShow } from "../surfaces/views.ts";
import type { Session } from "./session.ts";

/**
 * Ends the epoch of a conversation that a host keeps. A later receipt, with the summary, replaces the first one. The same
 * report of the host, known by its `key`, ends only one.
 */
export async function commitReceipt(session: Session, receipt: Receipt, key?: string): Promise<void> {
  await session.change(
    (state) => normaliseTexts({ type: "context.receipt" as const, receipt, blocks: blocksToShow(state) }),
    () => true,
    { actor: { kind: "system" }, surface: "compaction", ...(key === undefined ? {} : { key }) },
  );
}
