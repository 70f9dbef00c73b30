import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { reasonsOf } from "../scripts/from-the-documents.ts";
import { requirements } from "./requirements/index.ts";
import { entryPoints, type SeedRow, seedRows } from "./requirements/seed-rows.ts";
import { doorNames } from "./support/doors.ts";
import { batteries } from "./support/seed-battery.ts";

const rows = Object.values(seedRows).flat();
const known = new Set(requirements.map(({ id }) => id));
/** The rows that the calls of the battery prove, at every entry point that has tools. */
const inBattery = new Set(batteries.flatMap(({ steps }) => steps.flatMap((step) => step.rows)));

/** Proofs that no test cites, calls that are not in the battery, and gaps without a reason. */
function faultsOf({ id, at, differs }: SeedRow): string[] {
  const sentence = /^[A-Z`\d].*\.$/;
  return [
    ...entryPoints.flatMap((name) => {
      const cell = at[name];
      if (!cell) return [`${id} has nothing at ${name}`];
      if ("by" in cell) {
        if (!known.has(cell.by)) return [`${id} at ${name}: there is no requirement ${cell.by}`];
        if (cell.by === "seeds.battery" && !inBattery.has(id))
          return [`${id}: the battery has no call for it`];
        return [];
      }
      const reason = "no" in cell ? cell.no : cell.na;
      return sentence.test(reason) ? [] : [`${id} at ${name}: the reason is not a sentence: ${reason}`];
    }),
    ...(differs === undefined || sentence.test(differs) ? [] : [`${id}: ${differs}`]),
    ...(entryPoints.some((name) => "by" in at[name]) || reasonsOf({ id, sentence: "", at }).length > 0
      ? []
      : [`${id} is true nowhere, and no reason is given`]),
  ];
}

test("each sentence of the documents has a proof or a reason at each entry point [seeds.rows]", () => {
  assert.equal(rows.length, 145);
  assert.equal(new Set(rows.map(({ id }) => id)).size, 145);
  assert.deepEqual([...doorNames], [...entryPoints]);
  assert.deepEqual(rows.flatMap(faultsOf), []);
  assert.deepEqual(
    [...inBattery].filter((id) => !rows.some((row) => row.id === id)),
    [],
    "every call of the battery belongs to a row",
  );
});

test("a proof that does not exist, a call that nobody makes and a gap without a reason are found [seeds.rows]", () => {
  const [first] = rows;
  assert.ok(first);
  const broken = (name: "library" | "chat", cell: SeedRow["at"]["chat"]) =>
    faultsOf({ ...first, at: { ...first.at, [name]: cell } }).length;
  assert.equal(broken("library", { by: "notepad.nowhere" }), 1);
  assert.equal(broken("chat", { by: "seeds.battery" }), 1);
  assert.equal(broken("chat", { no: "because" }), 1);
  assert.equal(faultsOf({ ...first, differs: "so it is" }).length, 1);
});

test("every row that differs is in the docs with its reason [seeds.rows]", () => {
  const page = readFileSync(join(import.meta.dirname, "../docs/from-the-documents.md"), "utf8");
  const unescaped = page.replaceAll("\\|", "|").replaceAll("\\<", "<");
  for (const row of rows) {
    const reasons = reasonsOf(row);
    assert.equal(unescaped.includes(`| ${row.id} `), reasons.length > 0, row.id);
    for (const reason of reasons) assert.ok(unescaped.includes(reason), `${row.id}: ${reason}`);
  }
});
