/**
 * A process that writes to one session and reports: `ready`, then after a line on stdin one line per acknowledged
 * operation, then `done`. Every operation writes a unique marker.
 */
import { writeSync } from "node:fs";
import { openMemory } from "../../src/index.ts";

export interface WriterOrder {
  store: string;
  session: string;
  /** Markers are `name:number`. */
  name: string;
  operations: number;
  /** Every nth operation appends to the notepad; the others add notes. */
  appendEvery?: number;
  /** Print every acknowledged marker, or only `done`. */
  acknowledge: boolean;
  /** When done, wait for the end of stdin before closing the store. */
  staysOpen?: boolean;
  /** Characters added to every note, to slow down its write. */
  padding?: number;
  /** Offset of this process's clock in milliseconds, or "frozen". */
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
  const marker = `${order.name}:${number}`;
  if (number % appendEvery === 1) await session.notepad.append(marker);
  else await session.notes.add(padding ? `${marker} ${"x".repeat(padding)}` : marker, ["shared", order.name]);
  if (order.acknowledge) writeSync(1, `${marker}\n`);
}
writeSync(1, "done\n");
if (order.staysOpen) await new Promise((proceed) => process.stdin.once("end", proceed));
process.stdin.destroy();
await memory.close();
