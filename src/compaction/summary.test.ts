import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, user } from "../../test/support/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { deterministicSummary, findSummaryFault } from "./summary.ts";

test("a summary is rejected if it is empty, too long, or lost what the user asked [controller.summary-check]", () => {
  const tokens = { summary: 10, removed: 100 };
  const asks = ["Tell me which rows of revenue.xlsx are double-counted", "ok?"];
  assert.equal(findSummaryFault(" \n", [], tokens), "it is empty");
  assert.equal(
    findSummaryFault("long", [], { summary: 100, removed: 100 }),
    "it is longer than what it replaces",
  );
  assert.match(
    String(findSummaryFault("We talked about the weather.", asks, tokens)),
    /lost the user's open request: Tell me which rows/,
  );
  assert.equal(
    findSummaryFault("The user wants to know which rows of revenue.xlsx are double-counted.", asks, tokens),
    undefined,
  );
  assert.match(
    String(
      findSummaryFault(
        "rows of revenue.xlsx double-counted",
        [...asks, "Then migrate the billing database"],
        tokens,
      ),
    ),
    /migrate the billing/,
    "every open ask counts",
  );
  for (const [ask, carried] of [
    ["Why does Q3 not add up?", "It is open why Q3 does not add up."],
    ["Fix Q3", "The user wants Q3 fixed."],
    ["请修复第三季度的公式", "用户要求修复第三季度公式。"],
  ] as const) {
    assert.match(String(findSummaryFault("Work does go on.", [ask], tokens)), /lost the user's open/, ask);
    assert.equal(findSummaryFault(carried, [ask], tokens), undefined, ask);
  }
});

test("without a model: requests, answers, calls and failures, oldest dropped first, earlier summaries carried [controller.summary-deterministic]", () => {
  const messages = conversation(
    user("Audit the ledger"),
    calls("read_sheet", { sheet: 1 }),
    result("ENOENT", "c1", "read_sheet", "error-text"),
    says("I could not read it."),
  );
  const text = deterministicSummary("Before: sheets 1 to 3.", messages, 500, estimateTokens);
  assert.equal(
    text,
    'Earlier: Before: sheets 1 to 3.\nThe user said: Audit the ledger\nThe agent called read_sheet {"sheet":1}\nread_sheet failed: ENOENT\nThe agent said: I could not read it.',
  );
  const long = conversation(
    ...Array.from({ length: 200 }, (_, index) => user(`message ${index} with some more words in it`)),
  );
  const short = deterministicSummary("", long, 100, estimateTokens);
  assert.ok(estimateTokens(short) <= 130);
  assert.match(short, /^… \(older messages can be recalled\)\n/);
  assert.match(short, /message 199/);
});
