import { openMemory } from "holdfast";

const memory = await openMemory({ store: "memory:" });
const session = await memory.createSession({ title: "History" });

await session.notepad.write("Port 8080");
await session.notepad.replace("8080", "9090", { actor: { kind: "person", name: "ada" } });

for (const { revision, actor, operation } of await session.history()) {
  console.log(revision, actor.kind, operation.type);
}
console.log(await session.diff(2, 3));
console.log((await session.at(2)).notepad); // "Port 8080"
await session.undo(); // back to "Port 8080", as a fourth entry of the history

await memory.close();
