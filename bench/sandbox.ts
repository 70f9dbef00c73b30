import { openMemory } from "../src/index.ts";
import { createSandbox, sandboxSurface } from "../src/surfaces/sandbox/index.ts";
import { hostileApi, hostileLimits, hostilePrograms } from "../test/support/hostile-programs.ts";
import { type Figure, median, time } from "./measure.ts";

/** A small tool in a warm sandbox, and how long hostile programs outlive their limits. */
export async function sandboxFigures(): Promise<Figure[]> {
  const sandbox = createSandbox({ limits: { memoryBytes: 32 * 1024 * 1024 }, workers: 1 });
  const memory = await openMemory({ store: "memory:", surfaces: ["notepad", sandboxSurface({ sandbox })] });
  const session = await memory.createSession();
  await session.call("create_tool", {
    name: "double",
    description: "Doubles a number",
    schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    code: "return input.n * 2",
  });
  const call = async () => {
    const answer = await session.call("double", { n: 21 });
    if (!answer.ok) throw new Error(answer.text);
  };
  const times: number[] = [];
  for (let round = 0; round < 600; round++) {
    const took = await time(call);
    if (round >= 100) times.push(took);
  }
  const past = await hostileFigure(sandbox);
  await memory.close();
  await sandbox.close();
  const slow = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.9)] ?? 0;
  return [
    {
      name: "sandbox: a small authored tool, warm",
      value: median(times),
      target: 1,
      limit: "max",
      unit: "ms",
      detail: `p90 ${slow.toFixed(2)} ms`,
    },
    past,
  ];
}

async function hostileFigure(sandbox: ReturnType<typeof createSandbox>): Promise<Figure> {
  const before = process.memoryUsage().rss;
  let longest = { name: "", past: 0 };
  let grown = 0;
  for (const [name, [code]] of Object.entries(hostilePrograms)) {
    const took = await time(() => sandbox.run({ code, api: hostileApi, limits: hostileLimits }));
    const past = took - hostileLimits.cpuMilliseconds;
    if (past > longest.past) longest = { name, past };
    grown = Math.max(grown, process.memoryUsage().rss - before);
    await sandbox.run({ code: "1" });
  }
  return {
    name: `sandbox: ${Object.keys(hostilePrograms).length} hostile programs, longest overrun`,
    value: longest.past,
    target: 1_000,
    limit: "max",
    unit: "ms",
    detail: `${longest.name}; the process grew by at most ${Math.round(grown / 1024 / 1024)} MB`,
  };
}
