import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { openMemory, type Session } from "../src/index.ts";
import { compare, type Figure } from "./measure.ts";

const cli = join(import.meta.dirname, "..", "dist", "cli.js");

/** Startup of the built CLI, compared with bare Node. */
export async function commandLineFigures(directory: string): Promise<Figure[]> {
  const { NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env;
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, args, { env });
    if (status !== 0) throw new Error(`node ${args.join(" ")} failed: ${stderr}`);
  };
  const { work, baseline, ratio } = await compare(
    () => run(cli, "--version"),
    () => run("-e", "0"),
    { rounds: 41 },
  );
  return [
    {
      name: "holdfast --version / node -e 0",
      value: ratio,
      target: 1.5,
      limit: "max",
      unit: "×",
      detail: `${work.toFixed(1)} ms / ${baseline.toFixed(1)} ms`,
    },
    await showFigure(directory, run),
  ];
}

const operationsPerDay = 5_000;
const days = 30;

/** `show` after a month of heavy use: a session per day. */
async function showFigure(directory: string, run: (...args: string[]) => void): Promise<Figure> {
  const path = join(directory, "month.db");
  const memory = await openMemory({ store: `sqlite:${path}?synchronous=normal` });
  for (let day = 1; day <= days; day++) {
    const session = await memory.createSession({ id: `day-${day}` });
    for (let number = 1; number < operationsPerDay; number++) await use(session, number);
  }
  await memory.close();
  const { work, baseline } = await compare(
    () => run(cli, "show", "--db", path),
    () => run("-e", "0"),
    { rounds: 15 },
  );
  return {
    name: `holdfast show after ${(days * operationsPerDay).toLocaleString("en")} operations`,
    value: work,
    target: 300,
    limit: "max",
    unit: "ms",
    detail: `${days} sessions; node -e 0 ${baseline.toFixed(1)} ms`,
  };
}

async function use(session: Session, number: number): Promise<void> {
  if (number % 10 === 0) await session.notes.add(`finding ${number} in src/part-${number}.ts`, ["finding"]);
  else if (number % 50 === 1) await session.notepad.write(`- [ ] step ${number}\n`.repeat(50));
  else {
    const message = { role: number % 2 === 0 ? "user" : "assistant", content: `message ${number}` };
    await session.apply({ type: "messages.add", messages: [{ message, at: 0 }] });
  }
}
