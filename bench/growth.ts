import { join } from "node:path";
import type { Json } from "../src/engine/json.ts";
import type { SessionExport } from "../src/engine/session-document.ts";
import { type Memory, openMemory, type Session } from "../src/index.ts";
import type { JournalEntry } from "../src/surfaces/operations.ts";
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

/** Creates a session of the given sizes with one import. */
async function fillSession(
  memory: Memory,
  id: string,
  sizes: { notes?: number; messages?: number; entries?: number },
): Promise<Session> {
  const { notes = 0, messages = 0, entries = 0 } = sizes;
  const note = (index: number): Json => ({
    content: `note ${index} ${"words and more ".repeat(25)}`,
    tags: [`tag-${index % 20}`],
    createdAt: index,
    updatedAt: index,
    updated: index + 1,
  });
  const key = (index: number) => String(index + 1).padStart(12, "0");
  const journal = Array.from(
    { length: entries },
    (_, index): JournalEntry => ({
      revision: index + 1,
      at: index,
      actor: { kind: "agent" },
      surface: "notepad",
      operation: { type: "notepad.append", content: `- step ${index} is done` },
      changes: [{ type: "text", target: "notepad", at: 0, removed: "", inserted: "" }],
      key: null,
      result: null,
    }),
  );
  const tags = Object.fromEntries(
    Array.from({ length: Math.min(20, notes) }, (_, index) => [
      `tag-${index}`,
      { name: `tag-${index}`, notes: Math.ceil((notes - index) / 20) },
    ]),
  );
  const document: SessionExport = {
    format: "holdfast-session",
    version: 1,
    session: { id, agent: "bench", title: null, parent: null, createdAt: 0, updatedAt: 0, revision: entries },
    notepad: "## Plan\n- [x] survey\n- [ ] audit\n",
    records: {
      note: Object.fromEntries(
        Array.from({ length: notes }, (_, index) => [`note_${index + 1}`, note(index)]),
      ),
      tag: tags,
      message: Object.fromEntries(
        Array.from({ length: messages }, (_, index) => [
          key(index),
          { role: "user", content: `message ${index} ${"x".repeat(200)}` },
        ]),
      ),
    },
    journal: journal as unknown as SessionExport["journal"],
  };
  return memory.importSession(document, { id });
}
