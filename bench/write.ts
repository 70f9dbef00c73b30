import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openMemory } from "../src/index.ts";
import { compare, type Figure } from "./measure.ts";

/** A durable append through the tools, compared with the minimal durable write: one row, one transaction. */
export async function writeFigures(directory: string): Promise<Figure[]> {
  const path = join(directory, "write.db");
  const memory = await openMemory({ store: path });
  const session = await memory.createSession();
  const bare = new DatabaseSync(path, { timeout: 5_000 });
  bare.exec("PRAGMA synchronous = FULL; CREATE TABLE bare (id INTEGER PRIMARY KEY, text TEXT)");
  bare.exec("INSERT INTO bare VALUES (1, '')");
  const update = bare.prepare("UPDATE bare SET text = ? WHERE id = 1");
  let count = 0;
  const append = async () => {
    const answer = await session.call("update_notepad", {
      operation: "append",
      content: `- finding ${++count}`,
    });
    if (!answer.ok) throw new Error(answer.text);
  };
  const baseline = () => update.run(`- finding ${count}`);
  const result = await compare(append, baseline, { rounds: 1_000 });
  bare.close();
  await memory.close();
  return [
    {
      name: "durable notepad append through dispatch / bare single-row UPDATE",
      value: result.ratio,
      target: 2,
      limit: "max",
      unit: "×",
      detail: `${(result.work * 1e3).toFixed(0)} µs / ${(result.baseline * 1e3).toFixed(0)} µs`,
    },
  ];
}
