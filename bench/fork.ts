import { join } from "node:path";
import { openMemory } from "../src/index.ts";
import { fillSession } from "./fill.ts";
import { compare, type Figure } from "./measure.ts";

/** A fork shares notes and messages, so it costs the same for a small and a large session. */
export async function forkFigures(directory: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [kind, store] of [
    ["sqlite", join(directory, "fork.db")],
    ["memory", "memory:"],
  ] as const) {
    const memory = await openMemory({ store });
    for (const what of ["notes", "messages"] as const) {
      await fillSession(memory, `small-${what}`, { [what]: 100 });
      await fillSession(memory, `large-${what}`, { [what]: 10_000 });
      const { work, baseline, ratio } = await compare(
        () => memory.forkSession(`large-${what}`),
        () => memory.forkSession(`small-${what}`),
        { rounds: 51 },
      );
      figures.push({
        name: `${kind}: fork with 10,000 ${what} / with 100`,
        value: ratio,
        target: 3,
        limit: "max",
        unit: "×",
        detail: `${work.toFixed(2)} ms / ${baseline.toFixed(2)} ms`,
      });
    }
    await memory.close();
  }
  return figures;
}
