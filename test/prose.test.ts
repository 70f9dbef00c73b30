import assert from "node:assert/strict";
import { test } from "node:test";
import { proseFaults, rules } from "../scripts/prose.ts";

test("the check of sentences finds each planted fault, and none in code or questions [repo.prose]", () => {
  for (const { name, example } of rules) {
    const [fault = "", ...others] = proseFaults(`# Title\n\n${example}\n`);
    assert.ok(fault.startsWith(`3: ${name}`), `${name}: ${fault}`);
    assert.deepEqual(others, [], name);
    assert.deepEqual(proseFaults(`Use \`${example}\` here.\n\n\`\`\`text\n${example}\n\`\`\`\n`), [], name);
  }
  assert.deepEqual(proseFaults("## What is sent where?\n\nIt is not a lock.\n"), []);
});
