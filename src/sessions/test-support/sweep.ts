import { openMemory } from "../../index.ts";

/** Sweeps a store in the smallest steps, as of a time. */
const [store = "", now = "0"] = process.argv.slice(2);
const memory = await openMemory({ store, clock: () => Number(now) });
process.send?.("open");
while (!(await memory.retention.step(1, { waits: false })));
await memory.close();
process.exit(0);
