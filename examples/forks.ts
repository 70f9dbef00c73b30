import { openMemory } from "holdfast";

const memory = await openMemory({ store: "memory:" });
const parent = await memory.createSession({ id: "parent" });
await parent.notepad.write("Gap traced to EMEA");

const fork = await memory.forkSession("parent"); // everything, at the price of one row
const helper = await memory.spawnSession("parent"); // nothing
const briefed = await memory.spawnSession("parent", { copyNotepad: true }); // the notepad

await fork.notepad.append("Tried: adjusting formulas");
console.log(await parent.notepad.read()); // "Gap traced to EMEA"
console.log(await helper.notepad.read()); // ""
console.log(await briefed.notepad.read()); // "Gap traced to EMEA"

await memory.close();
