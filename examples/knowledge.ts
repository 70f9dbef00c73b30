import { openMemory } from "holdfast";

const memory = await openMemory({ store: "memory:", surfaces: ["notepad", "knowledge"] });

// Permanent, for every session of the agent. You can lock a passage.
const knowledge = await memory.knowledge();
await knowledge.systemPrompt.write("You audit workbooks. Never change a formula without asking.");
await knowledge.systemPrompt.lock("Never change a formula without asking.");

const session = await memory.createSession();
const edit = { operation: "find_replace", find: "without asking", replace: "" };
console.log((await session.call("edit_system_prompt", edit)).text);

// The next session has the skill and the state.
await session.notepad.write("1. Sum the detail rows.\n2. Compare with the summary sheet.");
await session.call("save_skill", { name: "audit-workbook", description: "How to audit a workbook." });
await session.call("set_state", { key: "audit/last", value: { sheets: 10 } });

const next = await memory.createSession();
console.log((await next.context()).system.includes("- audit-workbook: How to audit a workbook."));
console.log((await next.call("get_state", { key: "audit/last" })).text);

await memory.close();
