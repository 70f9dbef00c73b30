import { defineTool, openMemory, type Surface } from "holdfast";
import { z } from "zod";

const logMeasurement = defineTool({
  name: "log_measurement",
  description: "Write down a measurement.",
  input: z.strictObject({ what: z.string().min(1), value: z.number() }),
  output: z.object({ ok: z.literal(true), note: z.string() }),
  run: async ({ session, options }, { what, value }) => {
    const { result } = await session.notes.add(`${what}: ${value}`, ["measurement"], options);
    return { ok: true as const, note: result.note.id };
  },
});

const measurements: Surface = {
  name: "measurements",
  tools: [logMeasurement],
  guidance: () => "Write down each measurement with log_measurement.",
};

const memory = await openMemory({ store: "memory:", surfaces: ["notepad", measurements] });
const session = await memory.createSession();
await session.call("log_measurement", { what: "cold start", value: 74.6 });
console.log((await session.notes.all()).map(({ content, tags }) => `${content} ${tags}`));
console.log((await session.context()).guidance);

await memory.close();
