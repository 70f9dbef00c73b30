import assert from "node:assert/strict";
import { test } from "node:test";
import type { Epoch, Handoff, Receipt } from "../engine/records.ts";
import { phaseOf } from "./phase.ts";

const epoch: Epoch = { number: 2, placed: 10, warning: "none", skipped: "" };
const handoff = { epoch: 2 } as Handoff;
const receipt = { epoch: 1 } as Receipt;

test("the phase of a host's compaction follows from the epoch, its records and the shown revision [compaction.drivers]", () => {
  const none = { epoch, handoff: undefined, receipt: undefined, seen: 0 };
  assert.equal(phaseOf(none), "none", "nothing was ever compacted");
  assert.equal(phaseOf({ ...none, handoff }), "begun");
  assert.equal(phaseOf({ ...none, handoff, receipt, seen: 99 }), "begun", "the next one has begun");
  assert.equal(phaseOf({ ...none, receipt, seen: 9 }), "finished", "shown last before it");
  assert.equal(
    phaseOf({ ...none, receipt, seen: 10 }),
    "finished",
    "shown at the revision it was taken from",
  );
  assert.equal(phaseOf({ ...none, receipt, seen: 11 }), "none", "the receipt's own commit was shown");
});
