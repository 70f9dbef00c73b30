import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { filler } from "../../test/support/agent.ts";
import { calls, conversation, result, says, user } from "../../test/support/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { emptyHandoff } from "./handoff.ts";
import { deterministicSummary, findSummaryFault, planPasses, renderSummary } from "./summary.ts";

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
  const earlier = "Before: sheets 1 to 3.";
  const text = deterministicSummary({ earlier, removed: messages }, 500, estimateTokens);
  assert.equal(
    text,
    "Earlier: Before: sheets 1 to 3.\n- The user said: Audit the ledger\n- read_sheet sheet: 1 → FAILED: ENOENT\nYou: I could not read it.",
  );
  const again = deterministicSummary({ earlier: text, removed: messages }, 500, estimateTokens);
  assert.match(again, /^Earlier: Before: sheets 1 to 3\./, "the word is not repeated");
  const shown = renderSummary({ text: again, by: "deterministic" }, emptyHandoff(1));
  assert.match(shown, /\n- The user said: Audit the ledger\n/, "as it was written, without an escape");
  const long = conversation(
    ...Array.from({ length: 200 }, (_, index) => [
      user(`message ${index} with some more words in it`),
      says(`answer ${index}`),
    ]).flat(),
  );
  const short = deterministicSummary({ earlier: "", removed: long }, 100, estimateTokens);
  assert.ok(estimateTokens(short) <= 110, `${estimateTokens(short)} tokens`);
  assert.match(short, /answer 199$/);
});

test("text that fits is whole, in one pass [controller.summary-room]", () => {
  const messages = conversation(user("Count the rows"), says(filler(500)), user("And the columns"));
  const [text, ...others] = planPasses(messages, 800, estimateTokens);
  assert.deepEqual(others, []);
  assert.ok(text?.includes(filler(500)));
});

test("messages stay whole, results share the rest, newer results get more [controller.summary-room]", () => {
  const answer = `The answer is 42. ${filler(300)} That was all.`;
  const messages = conversation(
    user("Read both"),
    calls("read", { path: "src/old.ts" }, "c1"),
    result(`src/unused.ts ${filler(2_000)}`, "c1", "read"),
    calls("read", { path: "src/new.ts" }, "c2"),
    result(`src/needed.ts ${filler(2_000)}`, "c2", "read"),
    says("I will change src/needed.ts."),
    says(answer),
  );
  const [text = "", ...others] = planPasses(messages, 2_000, estimateTokens);
  assert.deepEqual(others, []);
  assert.ok(text.includes(answer) && text.includes("Read both"));
  assert.ok(estimateTokens(text) <= 2_000);
  assert.ok(estimateTokens(text) > 1_600, "the room is used");
  const [older = 0, newer = 0] = ["src/unused.ts", "src/needed.ts"].map((name) => {
    const from = text.indexOf(`tool: ${name}`);
    return text.indexOf("\n\n", from) - from;
  });
  assert.ok(newer > older * 1.1, "the newer result gets more room");
});

test("text that does not fit in one pass takes several, and no message is left out [controller.summary-room]", () => {
  const said = Array.from({ length: 12 }, (_, index) => `Answer ${index}: ${filler(400)} end ${index}.`);
  const passes = planPasses(conversation(...said.map(says)), 1_500, estimateTokens);
  assert.ok(passes.length >= 4);
  for (const text of said) assert.ok(passes.some((pass) => pass.includes(text)));
  for (const pass of passes) assert.ok(estimateTokens(pass) <= 1_500);
});

test("for any messages, each pass fits [controller.summary-room]", () => {
  const line = fc.record({ kind: fc.constantFrom("user", "says", "result"), size: fc.nat(3_000) });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 500, max: 4_000 }),
      (lines, room) => {
        const messages = lines.flatMap(({ kind, size }, index) => {
          if (kind === "user") return [user(filler(size))];
          if (kind === "says") return [says(filler(size))];
          return [calls("read", {}, `c${index}`), result(filler(size), `c${index}`, "read")];
        });
        for (const pass of planPasses(conversation(...messages), room, estimateTokens))
          assert.ok(estimateTokens(pass) <= room * 1.05, `${estimateTokens(pass)} of ${room}`);
      },
    ),
    { seed: 5, numRuns: 60 },
  );
});
