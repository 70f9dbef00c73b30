import assert from "node:assert/strict";
import { test } from "node:test";
import { mutants, runMutant } from "./mutants.ts";
import { simulate } from "./simulate.ts";

/** `HOLDFAST_SIM_SEED` repeats a run. */
const seed = Number(process.env.HOLDFAST_SIM_SEED ?? Math.floor(Math.random() * 1e9));
console.log(`seed ${seed}`);

test("no acknowledged fact is absent from the next request, whatever is killed and compacted", async (context) => {
  const { violation, ...counts } = await simulate(seed, 45_000);
  context.diagnostic(`seed ${seed}: ${JSON.stringify(counts)}`);
  const { error, scenario, seed: at } = violation ?? {};
  assert.equal(
    error?.message,
    undefined,
    `seed ${at}, ${scenario}; repeat it: node test/sim/run.ts --seed ${at}`,
  );
  assert.ok(counts.kills > 20 && counts.compactions > 50, JSON.stringify(counts));
});

for (const mutant of mutants) {
  test(`finds a planted bug within a minute: ${mutant.name}`, async (context) => {
    const { isFound, output, milliseconds } = await runMutant(mutant, { seed, seconds: 60 });
    assert.ok(isFound, output);
    context.diagnostic(`${(milliseconds / 1_000).toFixed(1)} s: ${/BROKEN .*/.exec(output)?.[0]}`);
  });
}
