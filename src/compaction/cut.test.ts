import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { calls, conversation, result, says, user } from "../../test/support/conversation.ts";
import type { StoredMessage } from "../context/conversation.ts";
import { firstUnanswered, planCut } from "./cut.ts";

const one = () => 1;

test("keeps the newest messages within the budget and removes the oldest [controller.cut]", () => {
  const messages = conversation(user("1"), says("2"), user("3"), says("4"), user("5"));
  assert.equal(planCut(messages, 2, one), 3);
  assert.equal(planCut(messages, 4, one), 1);
  assert.equal(planCut(messages, 5, one), undefined, "everything fits");
});

test("a result is never separated from its call [controller.cut]", () => {
  const messages = conversation(user("1"), calls("a", {}), result("3"), result("4"), user("5"));
  assert.equal(planCut(messages, 2, one), 4, "the tail may not begin with a result");
  assert.equal(planCut(messages, 3, one), 4);
  assert.equal(planCut(messages, 4, one), 1);
});

test("an unanswered message is kept, whatever its size [controller.cut]", () => {
  const size = ({ number }: StoredMessage) => (number === 4 ? 50 : 1);
  const messages = conversation(user("1"), says("2"), calls("a", {}), result("4"));
  assert.equal(planCut(messages, 10, size), 2);
  assert.equal(planCut(messages, 0, size), 2);
  const warned = [
    ...messages,
    ...conversation(
      { inWarning: calls("note", {}) },
      { inWarning: result("ok") },
      { inWarning: says("Saved.") },
    ).map((stored, index) => ({ ...stored, number: 5 + index })),
  ];
  assert.equal(planCut(warned, 0, size), 2, "the answer to a warning in between does not count");
  assert.equal(planCut(conversation(user("1"), says("2"), user("3")), 0, one), 2, "a prompt too");
  assert.equal(planCut(conversation(user("1"), says("2")), 0, one), 2, "nothing is left to answer");
});

const kinds = fc.array(fc.constantFrom("user", "says", "call"), { minLength: 1, maxLength: 20 });

test("for any conversation and budget: keeps a valid tail and removes a prefix [controller.cut]", () => {
  fc.assert(
    fc.property(
      kinds,
      fc.array(fc.nat(50), { minLength: 60, maxLength: 60 }),
      fc.nat(300),
      (chosen, sizes, keep) => {
        const lines = chosen.flatMap((kind, index) => {
          if (kind === "user") return [user(`u${index}`)];
          if (kind === "says") return [says(`a${index}`)];
          return [calls("t", {}, `c${index}`), result("r", `c${index}`)];
        });
        const messages = conversation(...lines);
        const sizeOf = ({ number }: StoredMessage) => sizes[number] as number;
        const to = planCut(messages, keep, sizeOf) ?? 0;
        assert.ok(to >= 0 && to <= messages.length);
        assert.notEqual(messages[to]?.message.role, "tool");
        const kept = messages.slice(to).reduce((sum, message) => sum + sizeOf(message), 0);
        const newest = messages.slice(firstUnanswered(messages)).reduce((sum, each) => sum + sizeOf(each), 0);
        assert.ok(kept <= Math.max(keep, newest), "the kept messages are within the budget");
      },
    ),
    { seed: 3 },
  );
});
