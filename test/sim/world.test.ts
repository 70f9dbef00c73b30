import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemory } from "../../src/index.ts";
import { mutants, plant } from "./mutants.ts";
import { simulate } from "./simulate.ts";
import { World } from "./world.ts";

test("simulated agents and hosts keep every acknowledged fact through kills and compactions [sim.facts]", async (context) => {
  const { violation, ...counts } = await simulate(20_261_116, 6_000);
  context.diagnostic(JSON.stringify(counts));
  assert.equal(violation?.error.message, undefined, `seed ${violation?.seed}, ${violation?.scenario}`);
  assert.ok(counts.worlds > 0 && counts.facts > 0);
});

test("the same seed gives the same world [sim.seeds]", async () => {
  const live = async () => {
    const world = new World(4);
    await world.compactionAt(2);
    const memory = await openMemory({ store: world.store });
    const journals = ["a1", "h1"].map(async (id) =>
      (await (await memory.resumeSession(id)).history()).map(({ at, operation }) => [at, operation.type]),
    );
    return JSON.stringify([world.counts, await Promise.all(journals)]);
  };
  assert.equal(await live(), await live());
});

test("every bug of the simulation can be planted into the sources as they are [sim.planted]", () => {
  assert.equal(mutants.length, 5);
  for (const mutant of mutants) assert.ok(plant(mutant).includes(mutant.replace), mutant.name);
  const [first] = mutants;
  assert.ok(first);
  assert.throws(() => plant({ ...first, find: "not in this file" }), /does not contain the text once/);
});
