import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openMemory } from "../src/index.ts";
import { compare, type Figure } from "./measure.ts";

/** Durable edits through the tools, compared with the minimal durable write of the same text: one row, one transaction. */
export async function writeFigures(directory: string): Promise<Figure[]> {
  return [
    await editFigure(join(directory, "write.db"), "append", "", 2, (count) => ({
      operation: "append",
      content: `- finding ${count}`,
    })),
    await editFigure(
      join(directory, "edit.db"),
      "edit of 30,000 characters",
      longNotepad(),
      1.5,
      (count) => ({
        operation: "find_replace",
        find: `v${count - 1}.`,
        replace: `v${count}.`,
      }),
    ),
  ];
}

async function editFigure(
  path: string,
  name: string,
  notepad: string,
  target: number,
  inputOf: (count: number) => Record<string, unknown>,
): Promise<Figure> {
  const memory = await openMemory({ store: path });
  const session = await memory.createSession();
  await session.notepad.write(notepad);
  const bare = new DatabaseSync(path, { timeout: 5_000 });
  bare.exec("PRAGMA synchronous = FULL; CREATE TABLE bare (id INTEGER PRIMARY KEY, text TEXT)");
  bare.exec("INSERT INTO bare VALUES (1, '')");
  const update = bare.prepare("UPDATE bare SET text = ? WHERE id = 1");
  let count = 0;
  const edit = async () => {
    const answer = await session.call("update_notepad", inputOf(++count));
    if (!answer.ok) throw new Error(answer.text);
  };
  const baseline = () => update.run(`${notepad}- finding ${count}`);
  const result = await compare(edit, baseline, { rounds: 1_000 });
  bare.close();
  await memory.close();
  return {
    name: `durable notepad ${name} through dispatch / bare single-row UPDATE`,
    value: result.ratio,
    target,
    limit: "max",
    unit: "×",
    detail: `${(result.work * 1e3).toFixed(0)} µs / ${(result.baseline * 1e3).toFixed(0)} µs`,
  };
}

function longNotepad(): string {
  const lines = Array.from({ length: 600 }, (_, line) => `- finding ${line}: part ${line} of the parser`);
  return `plan v0.\n${lines.join("\n")}`.slice(0, 29_900);
}
