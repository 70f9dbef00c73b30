import assert from "node:assert/strict";
import type { Session } from "../../index.ts";

/**
 * Checks a session's journal: messages left the context only by compactions, each with a handoff of its epoch before
 * it and a receipt for exactly what it removed, and every message can still be read.
 */
export async function assertNothingLost(session: Session): Promise<number> {
  let epoch = 1;
  let removed = 0;
  let compactions = 0;
  let handoff: number | undefined;
  const entries = await session.history({ newestFirst: false });
  for (const { operation } of entries) {
    if (operation.type === "context.handoff") handoff = operation.handoff.epoch;
    if (operation.type !== "context.compact") continue;
    const { receipt, to } = operation;
    assert.equal(handoff, epoch, `the compaction of epoch ${epoch} comes after its own handoff`);
    assert.deepEqual(
      [receipt.epoch, receipt.from, receipt.to],
      [epoch, removed + 1, to],
      "the receipt covers exactly what was removed",
    );
    assert.ok(to > removed);
    removed = to;
    epoch++;
    compactions++;
    handoff = undefined;
  }
  const added = entries.flatMap(({ operation }) =>
    operation.type === "messages.add" ? operation.messages : [],
  );
  assert.deepEqual(await session.messages(), added, "every message is there, in order");
  assert.equal((await session.receipts()).length, compactions);
  return compactions;
}
