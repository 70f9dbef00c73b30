/**
 * A process that writes to one session and says so: `ready`, then after a line on its input one line per
 * acknowledged operation, then `done`. Every operation leaves a mark that no other leaves.
 */
import { writeSync } from "node:fs";
import { openMemory } from "../../src/index.ts";

export interface WriterOrder {
  store: string;
  session: string;
  /** Marks are `name:number`. */
  name: string;
  operations: number;
  /** Every so-manieth operation is an append to the notepad; the others add notes. */
  appendEvery?: number;
  /** Say every acknowledged mark, or only that all is done. */
  acknowledge: boolean;
  /** When all is done, wait for the end instead of closing the store. */
  staysOpen?: boolean;
  /** So many characters are added to every note, to make its writing take longer. */
  padding?: number;
  /** Milliseconds by which this process's clock is wrong, or "frozen". */
  clock?: number | "frozen";
}

const order = JSON.parse(process.argv[2] ?? "{}") as WriterOrder;
const { clock = 0, padding = 0, appendEvery = 2 } = order;
const memory = await openMemory({
  store: order.store,
  limits: { notepadCharacters: 10_000_000, noteCharacters: 10_000_000 },
  clock: clock === "frozen" ? () => Date.UTC(2026, 0, 1) : () => Date.now() + clock,
});
const session = await memory.openSession(order.session);
writeSync(1, "ready\n");
await new Promise((proceed) => process.stdin.once("data", proceed));
for (let number = 1; number <= order.operations; number++) {
  const mark = `${order.name}:${number}`;
  if (number % appendEvery === 1) await session.notepad.append(mark);
  else await session.notes.add(padding ? `${mark} ${"x".repeat(padding)}` : mark, ["shared", order.name]);
  if (order.acknowledge) writeSync(1, `${mark}\n`);
}
writeSync(1, "done\n");
if (order.staysOpen) await new Promise((proceed) => process.stdin.once("end", proceed));
process.stdin.destroy();
await memory.close();
