import { openMemory } from "holdfast";

const memory = await openMemory({ store: "memory.db", surfaces: ["notepad", "notes", "scratchpad"] });
const session = await memory.openSession("workbook-audit");

// An agent calls tools …
await session.call("update_notepad", { operation: "append", content: "- [x] Sheet 1: 500 rows, clean" });
await session.call("add_note", { content: "July is double-counted in rows 251-267", tags: ["q3", "bug"] });
await session.call("session.scratchpad", { action: "set_plan", content: "1. Fix Q3\n2. Add test" });

// … and your program puts the memory into the prompt of every turn.
const { system, message } = await session.context();
console.log(system);
console.log(message);

await memory.close();
