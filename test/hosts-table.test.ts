import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { renderTable, withTable } from "../scripts/render-hosts-table.ts";
import { readResults } from "../src/hosts/test-support/scenarios.ts";

test("the table of clients and scenarios is that of the last runs [repo.hosts-table]", () => {
  const page = readFileSync(new URL("../docs/hosts.md", import.meta.url), "utf8");
  const results = readResults();
  assert.ok(results.length > 0);
  assert.equal(withTable(page, results), page, "run node scripts/render-hosts-table.ts");
  const [first] = results;
  assert.ok(first);
  const worse = { ...first, scenarios: { ...first.scenarios, write: "failed" } };
  assert.match(renderTable([worse]), /\*\*no\*\*/);
  assert.notEqual(withTable(page, [worse]), page);
});
