import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { renderFigures, renderKinds, staleFiles, writePage } from "./page.ts";
import { type Answers, hashOf, readRecorded, writeRecorded } from "./recorded.ts";
import { scores } from "./score.ts";
import { allTasks, answerProblems, checkResult, contextIn, gradeTask, type Task } from "./tasks.ts";

/**
 * `npm run bench:resume -- --recorded` reproduces every figure from the recorded answers. It fails if an answer does not
 * rest on the context that was read, or if the page has other figures. It lists the contexts that are different today.
 * `--write` updates docs/benchmark.md and its picture. `export DIR` and `import DIR` are for models without an API.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: "string" },
    grader: { type: "string" },
    recorded: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const [command, directory] = positionals;
if (command !== undefined && directory === undefined) throw new Error(`${command} needs a folder.`);
if (command === "export" && directory) {
  const written = await exportTasks(directory);
  console.log(written.length === 0 ? "Everything is recorded." : written.join("\n"));
} else if (command === "import" && directory) {
  console.log((await importTasks(directory, values.model ?? "unknown")).join("\n"));
} else {
  if (values.model) await askModels(values.model, values.grader ?? values.model);
  else if (!values.recorded) throw new Error("Pass --recorded, or --model provider:name.");
  const scored = scores();
  console.log(`${renderFigures(scored)}\n\n${renderKinds(scored)}\n`);
  if (values.write) writePage(scored);
  const problems = [
    ...staleFiles(scored).map((file) => `${file} differs from the recorded results: pass --write.`),
    ...scored.flatMap(({ id }) => recordProblems(id)),
    ...gradeProblems(),
  ];
  console.log(
    problems.length === 0
      ? "Every answer rests on the context that its reader had, and every grade on these answers."
      : problems.join("\n"),
  );
  if (problems.length > 0) process.exitCode = 1;
  console.log(await changesSince());
}

/** Answers whose words are not in the recorded context. */
function recordProblems(id: string): string[] {
  const recorded = readRecorded<Answers>(id);
  return answerProblems(contextIn(recorded?.input ?? ""), recorded?.result ?? {}).map(
    (text) => `${id}, ${text}`,
  );
}

function gradeProblems(): string[] {
  const found = new Set(scores().map(({ compactions }) => compactions));
  return [...found].flatMap((depth) =>
    (["a", "b"] as const).flatMap((grader) => {
      const { id, prompt, input } = gradeTask(depth, grader);
      return readRecorded(id)?.hash === hashOf(`${prompt}\n${input}`) ? [] : [`${id} graded other answers.`];
    }),
  );
}

/** Compares today's contexts with those that were read: wording changes, and the recorded figures stay. */
async function changesSince(): Promise<string> {
  const tasks = await allTasks({ withPeers: false });
  const changes = tasks.flatMap(({ id, kind, prompt, input }) => {
    const recorded = readRecorded(id);
    if (!recorded) return [`${id}: not recorded`];
    if (recorded.hash === hashOf(`${prompt}\n${input}`) || kind === "grade") return [];
    if (recorded.input === undefined) return [`${id}: the prompt has other words`];
    const lines = input.split("\n");
    const before = new Set(recorded.input.split("\n"));
    const other = lines.filter((line) => !before.has(line)).length;
    return [`${id}: ${other} of ${lines.length} lines are different`];
  });
  const notMade = "Contexts of peers that npm install does not bring are not made again.";
  if (changes.length === 0)
    return `Every context is today as it was when it was read, byte for byte. ${notMade}`;
  return `Different today from what was read (the figures are of what was read):\n${changes.join("\n")}\n${notMade}`;
}

async function openTasks(): Promise<Task[]> {
  const open = (await allTasks()).filter(({ id }) => !readRecorded(id));
  // Grading comes last: its letters depend on which answers there are.
  const before = open.filter(({ kind }) => kind !== "grade");
  return before.length > 0 ? before : open;
}

function record(task: Task, result: unknown, model: string): void {
  const { id, kind, prompt, input } = task;
  const isKept = kind === "read" || kind === "queries";
  writeRecorded(id, {
    model,
    date: new Date().toISOString().slice(0, 10),
    hash: hashOf(`${prompt}\n${input}`),
    ...(isKept ? { input } : {}),
    result: checkResult(task, result),
  });
}

function isText({ kind }: Task): boolean {
  return kind === "summary" || kind === "notepad";
}

/** Has a model do every task that is not recorded, and another one grade. Tasks that need its texts follow. */
async function askModels(model: string, grader: string): Promise<void> {
  const { generateText } = await import("ai");
  const { chooseModel } = await import("../../src/cli/chat/model.ts");
  for (let tasks = await openTasks(); tasks.length > 0; tasks = await openTasks())
    for (const task of tasks) {
      const name = task.kind === "grade" ? grader : model;
      console.error(`${task.id}: ${name}`);
      const chosen = await chooseModel({ model: name });
      const instructions = isText(task)
        ? task.prompt
        : `${task.prompt}\n\nAnswer with the JSON object alone.`;
      const { text } = await generateText({ model: chosen.model, instructions, prompt: task.input });
      record(
        task,
        isText(task) ? text : JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)),
        name,
      );
    }
}

/** Writes a folder for each open task: `prompt.md` and `input.md`. */
async function exportTasks(folder: string): Promise<string[]> {
  const tasks = await openTasks();
  for (const { id, prompt, input } of tasks) {
    mkdirSync(join(folder, id), { recursive: true });
    writeFileSync(join(folder, id, "prompt.md"), prompt);
    writeFileSync(join(folder, id, "input.md"), input);
  }
  return tasks.map(({ id }) => id);
}

/** Records the `out.txt` (a text) or `out.json` (an object) that a model has written into the folder of a task. */
async function importTasks(folder: string, model: string): Promise<string[]> {
  const tasks = new Map((await openTasks()).map((task) => [task.id, task]));
  return readdirSync(folder).flatMap((id) => {
    const task = tasks.get(id);
    const path = join(folder, id, task && isText(task) ? "out.txt" : "out.json");
    if (!task || !existsSync(path)) return [];
    const out = readFileSync(path, "utf8");
    record(task, isText(task) ? out : JSON.parse(out), model);
    return [id];
  });
}
