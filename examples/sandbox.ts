import { openMemory } from "holdfast";
import { createSandbox, sandboxSurface } from "holdfast/sandbox";

const sandbox = createSandbox({ limits: { cpuMilliseconds: 500 } });
const memory = await openMemory({
  store: "memory:",
  surfaces: [
    "notepad",
    sandboxSurface({
      sandbox,
      hostTools: { rows: { description: "Rows of a sheet", execute: ({ sheet }) => [sheet, 1, 2, 3] } },
    }),
  ],
});
const session = await memory.createSession();

// The model makes these calls. `session.tools()` returns the tools.
await session.call("create_tool", {
  name: "count_rows",
  description: "Counts the rows of sheets, noting each",
  schema: { type: "object", properties: { sheets: { type: "array", items: { type: "string" } } } },
  code: `let total = 0;
for (const sheet of input.sheets as string[]) {
  const rows = await tools.rows({ sheet });
  await session.notepad.append("- " + sheet + ": " + rows.length + " rows");
  total += rows.length;
}
return total;`,
});
const answer = await session.call("count_rows", { sheets: ["Q1", "Q2"] });
console.log(answer.text); // 8
console.log(await session.notepad.read()); // "- Q1: 4 rows\n- Q2: 4 rows"

await memory.close();
await sandbox.close();
