import { openMemory } from "holdfast";

const memory = await openMemory({ store: "memory:" });
const session = await memory.createSession();

// Pass these to the model, along with your own tools:
const definitions = memory
  .tools()
  .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
console.log(definitions.map(({ name }) => name));

// When the model calls one:
const answer = await session.call("add_note", { content: "Port 8080 is taken", tags: ["setup"] });
console.log(answer.ok, answer.text);

// A failed call returns a text with the next step:
console.log((await session.call("update_note", { id: "note_1", content: "x" })).text);

await memory.close();
