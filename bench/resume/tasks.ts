import { warningText } from "../../src/compaction/warning.ts";
import { asked, isText, maxNotepad, maxWords, problemsIn, type TaskKind } from "./check.ts";
import { type Condition, conditions, type TextKind, type Written } from "./conditions.ts";
import { type Answers, hashOf, type Queries, readRecorded } from "./recorded.ts";
import { print, printQuestions, questions, spansOf } from "./stories.ts";

/** Something that a model does. */
export interface Task {
  id: string;
  kind: TaskKind;
  prompt: string;
  input: string;
}

export const depths = [3, 10] as const;
export const graders = ["a", "b"] as const;

/** Mastra has its own prompt for an observation. */
const prompts: Record<Exclude<TaskKind, "observation">, string> = {
  summary: `You are a coding agent. Your context window is full, and the conversation below is about to be removed. Write the summary that replaces it: you go on from this summary and nothing else. Cover the user's requests and wishes, decisions and their reasons, findings, what was tried and failed, files and exact names, what is done, what is open, and the next step. If there is an earlier summary, carry it forward: it is removed as well. Do not invent anything. Write at most ${maxWords.toLocaleString("en-US")} words. The result is the text of the summary.`,
  notepad: `You are a coding agent with a session notepad. You have worked through the conversation below, and your notepad is as shown. Now you get this message:

${warningText}

Write the whole notepad as it is after your update, at most ${maxNotepad.toLocaleString("en-US")} characters. Do not invent anything. The result is the text of the notepad.`,
  plan: `You are a coding agent that works with planning files. There are three, and you have updated them all the time: task_plan.md after each phase, findings.md after each discovery, and progress.md throughout the session. task_plan.md has the goal, the phases with their status, decisions, and every error with what solved it. findings.md has requirements, what you found out, and technical decisions with their reasons. progress.md is the log: actions taken, files changed, results of tests, and errors. You have worked through the conversation below, and your files were as shown before it. Write the three files as they are now, before the conversation is compacted: afterwards you read all three. Do not invent anything. The result is the text of the three files, each below its name as a heading.`,
  queries: `You are a coding agent whose conversation was compacted. The context below is all that you have left of it, and you have the tool that is described below it. For each question that the context does not answer completely, write one or two calls of the tool that should find the answer, before you see any result. The result is an object: the id of the question as the key, and the words to look for as the value (a string, two searches separated by " | ").`,
  read: `You are a coding agent whose conversation was compacted. The context below is all that you have left of it. Answer the questions from this context alone, in one to three short sentences each. The result is an object: the id of the question as the key, and as the value an object with "answer" and "quote": the words of the context that the answer rests on, copied exactly (passages separated by " … "). Leave out a question that the context does not answer: do not guess.`,
  grade: `You grade answers of several anonymous readers (letters) to questions about a conversation. Compare each answer with the gold answer. Give 1 if it has all essential elements of the gold answer (other words are fine, more detail is fine), 0.5 if it has about half of them or is only nearly right, 0 if it misses them, and "w" if it states something false that contradicts the gold answer. Grade each answer by itself and all readers by the same measure. The result is an object: the id of the question as the key, and as the value an object with a grade (1, 0.5, 0 or "w") for each letter.`,
};

const textKinds = ["summary", "notepad", "plan", "observation"] as const;

const textId = (kind: TextKind, depth: number, step: number) => `${kind}-d${depth}-s${step}`;
export const readId = (condition: Condition, depth: number) => `read-${condition.id}-d${depth}`;
const queriesId = (condition: Condition, depth: number) => `queries-${condition.id}-d${depth}`;
export const gradeId = (depth: number, grader: string) => `grade-d${depth}-${grader}`;

const stepsOf = (depth: number) => Array.from({ length: depth }, (_, index) => index + 1);

/** The ids of all tasks that can ever be open. */
export function taskIds(): string[] {
  return depths.flatMap((depth) => [
    ...stepsOf(depth).flatMap((step) => textKinds.map((kind) => textId(kind, depth, step))),
    ...conditionsAt(depth).flatMap((condition) => [
      ...(condition.tool ? [queriesId(condition, depth)] : []),
      readId(condition, depth),
    ]),
    ...graders.map((grader) => gradeId(depth, grader)),
  ]);
}

/** The texts that a model has written for this depth, as far as it is recorded: an element for each compaction. */
export function writtenFor(depth: number): Written {
  const texts = (kind: TextKind) => {
    const found: string[] = [];
    for (const step of stepsOf(depth)) {
      const text = readRecorded<string>(textId(kind, depth, step))?.result;
      if (text === undefined) break;
      found.push(text);
    }
    return found;
  };
  return {
    summary: texts("summary"),
    notepad: texts("notepad"),
    plan: texts("plan"),
    observation: texts("observation"),
  };
}

const headings = {
  summary: "# The earlier summary",
  notepad: "# Your notepad",
  plan: "# Your planning files",
};
type SpanText = keyof typeof headings;
const spanTexts: readonly SpanText[] = ["summary", "notepad", "plan"];

/** The model writes from the text before and the new span. */
function writeTask(kind: SpanText, depth: number, step: number): Task | undefined {
  const written = writtenFor(depth)[kind];
  if (written.length < step - 1) return undefined;
  const before = written[step - 2] ?? (kind === "summary" ? "(none)" : "(empty)");
  const heading = headings[kind];
  const span = print(spansOf(depth)[step - 1] ?? []);
  const input = `${heading}\n\n${before}\n\n# The conversation since then\n\n${span}\n`;
  return { id: textId(kind, depth, step), kind, prompt: prompts[kind], input };
}

/** The conditions that are read at this depth. */
function conditionsAt(depth: number): Condition[] {
  return conditions.filter(({ compactions }) => compactions.includes(depth));
}

async function readTasks(condition: Condition, depth: number): Promise<Task[]> {
  const written = writtenFor(depth);
  const request = await condition.request?.(written);
  if (request) {
    const step = written.observation.length + 1;
    return [{ id: textId("observation", depth, step), kind: "observation", ...request }];
  }
  if (!condition.request && condition.needs.some((kind) => written[kind].length < depth)) return [];
  const context = await condition.context(depth, written);
  const read = (text: string): Task => ({
    id: readId(condition, depth),
    kind: "read",
    prompt: prompts.read,
    input: asked(text, printQuestions()),
  });
  if (!condition.tool) return [read(context)];
  const id = queriesId(condition, depth);
  const input = `${asked(context, printQuestions())}\n# The tool\n\n${condition.tool.description}\n`;
  const ask: Task = { id, kind: "queries", prompt: prompts.queries, input };
  const queries = readRecorded<Queries>(id)?.result;
  if (!queries) return [ask];
  const calls = Object.entries(queries).flatMap(([question, text]) =>
    text.split(" | ").map((query) => ({ question, query })),
  );
  const results = await condition.tool.results(
    depth,
    written,
    calls.map(({ query }) => query),
  );
  const found = calls.map(
    ({ question, query }, at) => `## ${question}: ${JSON.stringify(query)}\n\n${results[at]}`,
  );
  return [ask, read(`${context}\n\n# What the tool returned\n\n${found.join("\n\n")}`)];
}

/** Letters for the conditions, in another order for each question and grader. */
export function lettersFor(batch: string, question: string, ids: readonly string[]): Map<string, string> {
  const order = ids.toSorted((a, b) =>
    hashOf(`${batch} ${question} ${a}`) < hashOf(`${batch} ${question} ${b}`) ? -1 : 1,
  );
  return new Map(order.map((id, index) => [String.fromCharCode(65 + index), id]));
}

/** The conditions whose answers are recorded: the graders see them. */
export function readConditions(depth: number): Map<Condition, Answers> {
  const found = new Map<Condition, Answers>();
  for (const condition of conditionsAt(depth)) {
    const answers = readRecorded<Answers>(readId(condition, depth))?.result;
    if (answers) found.set(condition, answers);
  }
  return found;
}

export function gradeTask(depth: number, grader: string): Task {
  const id = gradeId(depth, grader);
  const read = new Map(
    [...readConditions(depth)].map(([{ id: condition }, answers]) => [condition, answers]),
  );
  const items = questions.map(({ id: question, question: text, gold }) => {
    const lines = [...lettersFor(id, question, [...read.keys()])].flatMap(([letter, condition]) => {
      const given = read.get(condition)?.[question];
      return given ? [`- ${letter}: ${given.answer.replaceAll("\n", " ")}`] : [];
    });
    return `## ${question}. ${text}\nGold: ${gold}\n${lines.join("\n") || "(no answers: give {})"}`;
  });
  // The second grader begins at the other end.
  const order = grader === "a" ? items : items.toReversed();
  return { id, kind: "grade", prompt: prompts.grade, input: `${order.join("\n\n")}\n` };
}

/** All tasks whose inputs are there, recorded or not, with the contexts of the `wanted` conditions. */
export async function allTasks(wanted: (condition: Condition, depth: number) => boolean): Promise<Task[]> {
  const tasks: Task[] = [];
  for (const depth of depths) {
    const conditions = conditionsAt(depth).filter((condition) => wanted(condition, depth));
    const needed = new Set(conditions.flatMap(({ needs }) => needs));
    for (const step of stepsOf(depth))
      for (const kind of spanTexts.filter((each) => needed.has(each))) {
        const task = writeTask(kind, depth, step);
        if (task) tasks.push(task);
      }
  }
  for (const depth of depths)
    for (const condition of conditionsAt(depth))
      if (wanted(condition, depth)) tasks.push(...(await readTasks(condition, depth)));
  for (const depth of depths)
    if (conditionsAt(depth).length === readConditions(depth).size)
      for (const grader of graders) tasks.push(gradeTask(depth, grader));
  return tasks;
}

/** A result in the form in which it is recorded; throws with everything that is wrong. */
export function checkResult({ id, kind, input }: Task, result: unknown): unknown {
  const problems = problemsIn(kind, input, result);
  if (problems.length > 0) throw new Error(`${id}:\n${problems.join("\n")}`);
  return isText(kind) ? String(result).trim() : result;
}
