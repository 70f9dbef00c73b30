import { join } from "node:path";
import { type Memory, openMemory, type Session } from "../src/index.ts";
import { fillSession } from "./fill.ts";
import { compare, type Figure, median, time } from "./measure.ts";

/** Reading an unchanged context, and resuming: neither may slow down as a store grows in about a year. */
export async function growthFigures(directory: string): Promise<Figure[]> {
  const memory = await openMemory({
    store: join(directory, "context.db"),
    surfaces: ["notepad", "notes", "scratchpad"],
  });
  const figures: Figure[] = [];
  const small = await fillSession(memory, "small", { notes: 10, messages: 10, entries: 10 });
  for (const [what, sizes] of [
    ["notes", { notes: 10_000, messages: 10, entries: 10 }],
    ["journal entries", { notes: 10, messages: 10, entries: 10_000 }],
    ["messages", { notes: 10, messages: 10_000, entries: 10 }],
  ] as const) {
    const large = await fillSession(memory, `large-${what.replaceAll(" ", "-")}`, sizes);
    const read = (session: Session) => async () => {
      for (let turn = 0; turn < 200; turn++) await session.context();
    };
    const { work, baseline, ratio } = await compare(read(large), read(small), { rounds: 101 });
    figures.push({
      name: `context of an unchanged session with 10,000 ${what} / with 10`,
      value: ratio,
      target: 1.2,
      limit: "max",
      unit: "×",
      detail: `${((work / 200) * 1e3).toFixed(1)} µs / ${((baseline / 200) * 1e3).toFixed(1)} µs`,
    });
  }
  figures.push(await resumeFigure(memory, directory));
  await memory.close();
  return figures;
}

async function resumeFigure(memory: Memory, directory: string): Promise<Figure> {
  await fillSession(memory, "short-journal", { entries: 100 });
  await fillSession(memory, "long-journal", { entries: 100_000 });
  const resume = (id: string) => async () => {
    const fresh = await openMemory({ store: join(directory, "context.db") });
    const session = await fresh.resumeSession(id);
    await session.context();
    await fresh.close();
  };
  const times = { long: [] as number[], short: [] as number[] };
  for (let round = 0; round < 41; round++) {
    times.long.push(await time(resume("long-journal")));
    times.short.push(await time(resume("short-journal")));
  }
  const [long, short] = [median(times.long), median(times.short)];
  return {
    name: "resuming with 100,000 journal entries / with 100",
    value: long / short,
    target: 3,
    limit: "max",
    unit: "×",
    detail: `${long.toFixed(2)} ms / ${short.toFixed(2)} ms`,
  };
}
