import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf, writeRecorded } from "./recorded.ts";
import { checkResult } from "./results.ts";
import { allTasks, staleStories, type Task } from "./tasks.ts";

/**
 * For models that have no API here: `export` writes a folder for each task that is not recorded yet, and `import` reads the
 * `out.json` that someone has put into it.
 */
export async function exportTasks(directory: string): Promise<string[]> {
  const written: string[] = [];
  for (const task of await allTasks()) {
    const stale = staleStories(task);
    if (stale.length === 0) continue;
    const folder = join(directory, task.id);
    mkdirSync(folder, { recursive: true });
    const files = stale.map((story) => `${story}.md`);
    writeFileSync(join(folder, "prompt.md"), promptFor(task, files));
    for (const story of stale) writeFileSync(join(folder, `${story}.md`), task.inputs[story] ?? "");
    written.push(task.id);
  }
  return written;
}

function promptFor({ prompt }: Task, files: readonly string[]): string {
  return `Do the task below for each of these files, one after the other: ${files.join(", ")}.
Each file is a case of its own: use nothing of one for another. Read each file whole. Read nothing else outside or inside this folder.
Then write out.json into this folder: an object with the file's name without .md as the key, and the result as the value. Write valid JSON, and nothing else.

# The task

${prompt}
`;
}

/** Records every `out.json`; throws if one does not fit its task. */
export async function importTasks(directory: string, model: string): Promise<string[]> {
  const date = new Date().toISOString().slice(0, 10);
  const tasks = new Map((await allTasks()).map((task) => [task.id, task]));
  const imported: string[] = [];
  for (const id of readdirSync(directory)) {
    const path = join(directory, id, "out.json");
    const task = tasks.get(id);
    if (!task || !existsSync(path)) continue;
    const given = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    record(asRead(task, join(directory, id)), given, model, date);
    imported.push(id);
  }
  return imported;
}

/** The task as its files had it: what was answered may differ from what would be asked today. */
function asRead(task: Task, folder: string): Task {
  const [, prompt = ""] = readFileSync(join(folder, "prompt.md"), "utf8").split("# The task\n\n");
  const inputs = Object.fromEntries(
    Object.keys(task.inputs).map((story) => [story, readFileSync(join(folder, `${story}.md`), "utf8")]),
  );
  return { ...task, prompt: prompt.replace(/\n$/, ""), inputs };
}

export function record(task: Task, given: Record<string, unknown>, model: string, date: string): void {
  const results = Object.fromEntries(
    Object.keys(task.inputs).map((story) => [story, checkResult(task, story, given[story])]),
  );
  const hashes = Object.fromEntries(
    Object.entries(task.inputs).map(([story, input]) => [story, hashOf(`${task.prompt}\n${input}`)]),
  );
  writeRecorded(task.id, { model, date, hashes, results });
}
