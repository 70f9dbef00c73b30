// An agent in CI is killed in the middle of its work, and the next run goes on where it was.
import { fork } from "node:child_process";
import { tool } from "ai";
import { openMemory } from "holdfast";
import { createAgent } from "holdfast/agent";
import { z } from "zod";
import { chooseModel, textOf } from "./model.ts";

const steps = ["lint", "unit tests", "build", "publish the preview"];

if (process.send) await work();
else await supervise();

/** Starts the worker, kills it after its second step, and starts it again. */
async function supervise(): Promise<void> {
  const done: string[] = [];
  for (const run of [1, 2]) {
    console.log(`run ${run}`);
    const worker = fork(process.argv[1] ?? "", { execArgv: process.execArgv });
    worker.on("message", (step) => {
      done.push(String(step));
      console.log(`  ${step}`);
      if (run === 1 && done.length === 2) worker.kill("SIGKILL");
      else worker.send("go on");
    });
    await new Promise((ended) => worker.once("exit", ended));
  }
  const repeated = done.length - new Set(done).size;
  console.log(`${new Set(done).size} of ${steps.length} steps done, ${repeated} done twice`);
  if (repeated > 0 || new Set(done).size < steps.length) process.exitCode = 1;
}

/** The agent: its notepad is the only thing that it knows about the last run. */
async function work(): Promise<void> {
  const chosen = await chooseModel((request) => {
    const next = steps.find((step) => !textOf(request).includes(`- [x] ${step}`));
    if (next === undefined) return { text: "All steps are done." };
    return { toolCalls: [{ name: "run_step", input: { step: next } }] };
  });
  const memory = await openMemory({ store: "ci.db", surfaces: ["notepad"] });
  const session = await memory.openSession("pipeline");
  const runStep = tool({
    description: "Runs one step of the pipeline and notes that it is done",
    inputSchema: z.object({ step: z.string() }),
    execute: async ({ step }) => {
      // An acknowledged write survives a kill, so note the step before you report it.
      await session.notepad.append(`- [x] ${step}`);
      process.send?.(step);
      await new Promise((goOn) => process.once("message", goOn));
      return `${step}: ok`;
    },
  });
  const agent = createAgent({
    memory,
    model: chosen.model,
    contextWindow: 32_000,
    system: `Run these steps in order, each one once: ${steps.join(", ")}. The notepad says which are done.`,
    tools: { run_step: runStep },
  });
  await agent.send("pipeline", "Do what is left.").result;
  await memory.close();
  await chosen.close();
  process.disconnect();
}
