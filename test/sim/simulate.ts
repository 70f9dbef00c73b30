import { World } from "./world.ts";

export interface Violation {
  seed: number;
  scenario: string;
  error: Error;
}

export interface Simulated {
  worlds: number;
  kills: number;
  compactions: number;
  facts: number;
  violation?: Violation;
}

/** Runs worlds from this seed on until the time is over or a promise is broken. */
export async function simulate(firstSeed: number, milliseconds: number): Promise<Simulated> {
  const total: Simulated = { worlds: 0, kills: 0, compactions: 0, facts: 0 };
  const end = performance.now() + milliseconds;
  for (let seed = firstSeed; performance.now() < end; seed++) {
    for (const [scenario, run] of scenariosOf(seed)) {
      const world = new World(seed);
      const error = await run(world).then(
        () => undefined,
        (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
      );
      total.worlds++;
      for (const name of ["kills", "compactions", "facts"] as const) total[name] += world.counts[name];
      if (error) return { ...total, violation: { seed, scenario, error } };
      if (performance.now() > end) break;
    }
  }
  return total;
}

const boundaries = 5;
/** Enough for every call to the store of the scenario that is killed. */
const maxCalls = 300;

/** A random life, then a compaction at each boundary and a kill at some calls; over the seeds, at every one. */
function* scenariosOf(seed: number): Generator<[name: string, run: (world: World) => Promise<unknown>]> {
  yield ["random life", (world) => world.randomLife()];
  const boundary = seed % boundaries;
  yield [`compaction at boundary ${boundary}`, (world) => world.compactionAt(boundary)];
  for (let callsLeft = seed % 7; callsLeft < maxCalls; callsLeft += 7 + Math.floor(callsLeft / 4))
    yield [`kill at call ${callsLeft}`, (world) => world.killAt(callsLeft)];
}
