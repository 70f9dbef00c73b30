import { generateText } from "ai";
import { chooseModel } from "../../src/cli/chat/model.ts";
import { record } from "./exchange.ts";
import { allTasks, staleStories, type Task } from "./tasks.ts";

/** Has a model do every task that is not recorded, and another one grade. Tasks that need its texts follow. */
export async function runTasks(model: string, grader: string): Promise<void> {
  for (;;) {
    const open = (await allTasks()).filter((task) => staleStories(task).length > 0);
    // Grading comes last: its letters depend on which answers there are.
    const next = open.filter(({ kind }) => kind !== "grade");
    const tasks = next.length > 0 ? next : open;
    if (tasks.length === 0) return;
    for (const task of tasks) {
      const name = task.kind === "grade" ? grader : model;
      console.error(`${task.id}: ${name}`);
      record(task, await doTask(task, name), name, new Date().toISOString().slice(0, 10));
    }
  }
}

async function doTask({ kind, prompt, inputs }: Task, name: string): Promise<Record<string, unknown>> {
  const { model } = await chooseModel({ model: name });
  const results: Record<string, unknown> = {};
  for (const [story, input] of Object.entries(inputs)) {
    const isText = kind === "summary" || kind === "notepad";
    const instructions = isText ? prompt : `${prompt}\n\nAnswer with the JSON object alone.`;
    const { text } = await generateText({ model, instructions, prompt: input });
    results[story] = isText ? text : JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  }
  return results;
}
