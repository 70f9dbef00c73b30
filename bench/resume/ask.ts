import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { isText, parseResult, type TaskKind } from "./check.ts";
import { hashOf, readRecorded, writeRecorded } from "./recorded.ts";
import { allTasks, checkResult, readId, type Task, taskIds } from "./tasks.ts";

/** The tasks that are not recorded and can be done now. Tasks that need the results of others follow when these are recorded. */
async function openTasks(): Promise<Task[]> {
  const isOpen = (id: string) => !readRecorded(id);
  const tasks = await allTasks((condition, depth) => isOpen(readId(condition, depth)));
  const open = tasks.filter(({ id }) => isOpen(id));
  // Grading comes last: its letters depend on which answers there are.
  const before = open.filter(({ kind }) => kind !== "grade");
  return before.length > 0 ? before : open;
}

function record(task: Task, written: string, model: string): void {
  const { id, kind, prompt, input } = task;
  const result = checkResult(task, parseResult(kind, written));
  const isKept = kind === "read" || kind === "queries";
  writeRecorded(id, {
    model,
    date: new Date().toISOString().slice(0, 10),
    hash: hashOf(`${prompt}\n${input}`),
    ...(isKept ? { input } : {}),
    result,
  });
}

/** How often a model may write a malformed answer to one task. */
const attempts = 3;

/** Has a model do every task that is not recorded, and another one grade. */
export async function askModels(model: string, grader: string): Promise<void> {
  const { generateText } = await import("ai");
  const { chooseModel } = await import("../../src/cli/chat/model.ts");
  for (let tasks = await openTasks(); tasks.length > 0; tasks = await openTasks())
    for (const task of tasks) {
      const name = task.kind === "grade" ? grader : model;
      console.error(`${task.id}: ${name}`);
      const chosen = await chooseModel({ model: name });
      const instructions = isText(task.kind)
        ? task.prompt
        : `${task.prompt}\n\nAnswer with the JSON object alone.`;
      let faults = "";
      for (let attempt = 1; ; attempt++) {
        const { text } = await generateText({
          model: chosen.model,
          instructions,
          prompt: `${task.input}${faults}`,
        });
        try {
          record(task, text, name);
          break;
        } catch (error) {
          if (attempt === attempts) throw error;
          faults = `\n# Your last answer\n\n${text}\n\n# Its faults, which your next answer corrects\n\n${(error as Error).message}\n`;
        }
      }
    }
}

/** The folder of a task: its name tells what to do, and not for which context. */
const folderOf = (id: string) => `${id.split("-")[0]}-${hashOf(id).slice(0, 6)}`;
const answerFile = (kind: TaskKind) => (isText(kind) ? "answer.md" : "answer.json");

const examples: Partial<Record<TaskKind, unknown>> = {
  queries: { "story.2": "one search", "story.4": "first search | second search" },
  read: {
    "story.2": { answer: "One to three sentences.", quote: "words of the context … more of its words" },
  },
  grade: { "story.2": { A: 1, B: 0.5, C: "w" }, "story.4": {} },
};

/** After the task's own words, and before its material. */
const note = "\n\nWrite the result to the file ";
const line = "\n\n----\n\n";

function promptFor({ kind, prompt, input }: Task): string {
  const file = answerFile(kind);
  const example = examples[kind]
    ? ` This is its form:\n\n\`\`\`json\n${JSON.stringify(examples[kind], null, 2)}\n\`\`\``
    : "";
  return `${prompt}${note}\`${file}\` in the folder of this file.${example}

Then run \`node check.mjs\` in this folder, and correct what it reports until it reports nothing. Everything that you may know is in this file: open no other one, except \`${file}\` and \`check.mjs\`, and search nowhere. Read this file completely.${line}${input}`;
}

/**
 * Writes a folder for each open task: the prompt, and a program that checks the form of the answer. A folder with an answer
 * that is not recorded yet stays as it is.
 */
export async function exportTasks(folder: string): Promise<{ name: string; text: string }[]> {
  const source = readFileSync(join(import.meta.dirname, "check.ts"), "utf8");
  const tasks = await openTasks();
  return tasks.map((task) => {
    const name = folderOf(task.id);
    const text = promptFor(task);
    if (existsSync(join(folder, name, answerFile(task.kind)))) return { name, text };
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "prompt.md"), text);
    writeFileSync(join(folder, name, "check.mjs"), checkProgram(source, task.kind));
    return { name, text };
  });
}

function checkProgram(source: string, kind: TaskKind): string {
  return `${stripTypeScriptTypes(source)}
import { readFileSync } from "node:fs";
const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const prompt = read("prompt.md");
const input = prompt.slice(prompt.indexOf(${JSON.stringify(line)}, prompt.indexOf(${JSON.stringify(note)})) + ${line.length});
try {
  const result = parseResult("${kind}", read("${answerFile(kind)}"));
  const problems = problemsIn("${kind}", input, result);
  console.log(problems.length === 0 ? "Nothing to correct." : problems.join("\\n"));
} catch (error) {
  console.log(error.message);
}
`;
}

/**
 * Records the answers that models wrote into exported folders, if they are not recorded yet. Returns what was recorded, and
 * what is wrong with others.
 */
export function importTasks(folder: string, model: string): { recorded: string[]; problems: string[] } {
  const ids = new Map(taskIds().map((id) => [folderOf(id), id]));
  const [recorded, problems]: [string[], string[]] = [[], []];
  for (const name of readdirSync(folder)) {
    const id = ids.get(name);
    // An earlier round in the same folder, perhaps by another model.
    if (id === undefined || readRecorded(id)) continue;
    const kind = id.split("-")[0] as TaskKind;
    const path = join(folder, name, answerFile(kind));
    if (!existsSync(path)) {
      problems.push(`${name}: there is no ${answerFile(kind)} yet.`);
      continue;
    }
    // The task as it was exported: the code may have changed since.
    const exported = readFileSync(join(folder, name, "prompt.md"), "utf8");
    const prompt = exported.slice(0, exported.indexOf(note));
    const input = exported.slice(exported.indexOf(line, prompt.length) + line.length);
    try {
      record({ id, kind, prompt, input }, readFileSync(path, "utf8"), model);
      recorded.push(`${name}: ${id}`);
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
    }
  }
  return { recorded, problems };
}
