import { openMemory } from "holdfast";

const memory = await openMemory({ store: "memory.db", surfaces: ["scratchpad"], handoff: false });
const session = await memory.openSession("audit");
console.log((await session.context()).system, memory.tools());
