import { openMemory } from "holdfast";

const memory = await openMemory({ store: "memory:" });
const parent = await memory.createSession({ id: "parent" });
await parent.notepad.write("Gap traced to EMEA");

const fork = await memory.forkSession("parent"); // a copy of everything, for the cost of one row
const helper = await memory.spawnSession("parent"); // starts empty
const briefed = await memory.spawnSession("parent", { copyNotepad: true }); // starts with the notepad

await fork.notepad.append("Tried: adjusting formulas");
console.log(await parent.notepad.read()); // "Gap traced to EMEA"
console.log(await helper.notepad.read()); // ""
console.log(await briefed.notepad.read()); // "Gap traced to EMEA"

await memory.close();
