// Two agents in two processes write to one session in Postgres at the same time, and no write is lost. DATABASE_URL names
// a database. Without it, the example starts PostgreSQL.
import { fork } from "node:child_process";
import { openMemory } from "holdfast";
import { chooseModel } from "./model.ts";
import { startDatabase } from "./start-database.ts";
import { talk } from "./talk.ts";

const findings = 10;

if (process.send) await work(process.argv[2] ?? "", process.argv[3] ?? "");
else await supervise();

async function supervise(): Promise<void> {
  const database = await startDatabase();
  const memory = await openMemory({ store: database.url, surfaces: ["notepad"] });
  const session = await memory.openSession("shared");
  const agents = ["reader", "checker"].map((name) =>
    fork(process.argv[1] ?? "", [name, database.url], { execArgv: process.execArgv }),
  );
  await Promise.all(agents.map((agent) => new Promise((ended) => agent.once("exit", ended))));
  const lines = (await session.notepad.read()).split("\n").filter((line) => line.startsWith("- "));
  console.log(`${new Set(lines).size} findings of two agents, ${2 * findings} written`);
  console.log(lines.slice(0, 4).join("\n"));
  if (new Set(lines).size !== 2 * findings) process.exitCode = 1;
  await memory.close();
  await database.stop();
}

async function work(name: string, store: string): Promise<void> {
  const chosen = await chooseModel((request) => {
    const written = request.messages.filter(({ role }) => role === "tool").length;
    if (written >= findings) return { text: "Done." };
    const content = `- ${name} found ${written + 1}`;
    return { toolCalls: [{ name: "update_notepad", input: { operation: "append", content } }] };
  });
  const memory = await openMemory({ store, surfaces: ["notepad"] });
  await talk(await memory.openSession("shared"), chosen, `You are the ${name}. Note ${findings} findings.`);
  await memory.close();
  await chosen.close();
  process.disconnect();
}
