import { openMemory } from "holdfast";

const memory = await openMemory({ store: "memory.db" });
const session = await memory.openSession("user-42");
const { system } = await session.context(); // put this before the model, in every turn
const tools = memory.tools(); // and offer these. When the model calls one:
await session.call("update_notepad", { operation: "append", content: "- [x] Q3: July counted twice" });
console.log(system, tools.length, await session.notepad.read());
await memory.close();
