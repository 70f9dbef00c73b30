import assert from "node:assert/strict";
import { test } from "node:test";
import { commentFaults, proseFaults, rules } from "../scripts/prose.ts";

test("the check of sentences finds each planted fault, and none in code or questions [repo.prose]", () => {
  for (const { name, example } of rules) {
    const [fault = "", ...others] = proseFaults(`# Title\n\n${example}\n`);
    assert.ok(fault.startsWith(`3: ${name}`), `${name}: ${fault}`);
    assert.deepEqual(others, [], name);
    assert.deepEqual(proseFaults(`Use \`${example}\` here.\n\n\`\`\`text\n${example}\n\`\`\`\n`), [], name);
  }
  assert.deepEqual(proseFaults("## What is sent where?\n\nIt is not a lock.\n"), []);
});

test("the check of comments and test names finds planted faults, and none in code [repo.prose]", () => {
  const faulty =
    '/** What a hook shows. */\nconst a = 1; // beside it\ntest("a pin is no lock [pins.one]", run);\n';
  assert.deepEqual(
    commentFaults(faulty).map((fault) => fault.split(" (")[0]),
    ["1: a sentence that begins with What", "2: beside", "3: is no"],
  );
  assert.deepEqual(
    commentFaults('const beside = "a receipt says; what";\n/** There is no store: `beside`. */\n'),
    [],
  );
});
