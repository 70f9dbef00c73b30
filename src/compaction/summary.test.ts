import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, user } from "../../test/support/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { deterministicSummary, findSummaryFault } from "./summary.ts";

test("a summary is rejected if it is empty or too long [controller.summary-check]", () => {
  assert.equal(findSummaryFault(" \n", { summary: 10, removed: 100 }), "it is empty");
  assert.equal(
    findSummaryFault("long", { summary: 100, removed: 100 }),
    "it is longer than what it replaces",
  );
  assert.equal(findSummaryFault("short", { summary: 10, removed: 100 }), undefined);
});

test("without a model: the earlier summary and the steps, newest in detail [controller.summary-deterministic]", () => {
  const messages = conversation(
    user("Audit the ledger"),
    calls("read_sheet", { sheet: 1 }),
    result("ENOENT", "c1", "read_sheet", "error-text"),
    says("I could not read it."),
  );
  const text = deterministicSummary("Before: sheets 1 to 3.", messages, 500, estimateTokens);
  assert.equal(
    text,
    "Earlier: Before: sheets 1 to 3.\nUser: Audit the ledger\n- read_sheet sheet: 1 → FAILED: ENOENT\nYou: I could not read it.",
  );
  const long = conversation(
    ...Array.from({ length: 200 }, (_, index) => [
      user(`message ${index} with some more words in it`),
      says(`answer ${index}`),
    ]).flat(),
  );
  const short = deterministicSummary("", long, 100, estimateTokens);
  assert.ok(estimateTokens(short) <= 110, `${estimateTokens(short)} tokens`);
  assert.match(short, /answer 199$/);
});
