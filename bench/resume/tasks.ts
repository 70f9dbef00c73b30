import { warningText } from "../../src/compaction/warning.ts";
import { type Condition, conditions, type Written } from "./conditions.ts";
import { type Answers, hashOf, type Queries, readRecorded } from "./recorded.ts";
import { print, printQuestions, questions, spansOf } from "./stories.ts";

/** Something that a model does. */
export interface Task {
  id: string;
  kind: "summary" | "notepad" | "queries" | "read" | "grade";
  prompt: string;
  input: string;
}

export const depths = [3, 10] as const;
export const graders = ["a", "b"] as const;

/** Characters of the notepad: about as much as a summary may have. */
const notepadLength = 6_000;

const prompts = {
  summary: `You are a coding agent. Your context window is full, and the conversation below is about to be removed. Write the summary that replaces it: you go on from this summary and nothing else. Cover the user's requests and wishes, decisions and their reasons, findings, what was tried and failed, files and exact names, what is done, what is open, and the next step. If there is an earlier summary, carry it forward: it is removed as well. Do not invent anything. Write at most 1,000 words. The result is the text of the summary.`,
  notepad: `You are a coding agent with a session notepad. You have worked through the conversation below, and your notepad is as shown. Now you get this message:

${warningText}

Write the whole notepad as it is after your update, at most ${notepadLength.toLocaleString("en-US")} characters. Do not invent anything. The result is the text of the notepad.`,
  queries: `You are a coding agent whose conversation was compacted. The context below is all that you have left of it, and you have the tool that is described below it. For each question that the context does not answer completely, write one or two calls of the tool that should find the answer, before you see any result. The result is an object: the id of the question as the key, and the words to look for as the value (a string, two searches separated by " | ").`,
  read: `You are a coding agent whose conversation was compacted. The context below is all that you have left of it. Answer the questions from this context alone, in one to three short sentences each. The result is an object: the id of the question as the key, and as the value an object with "answer" and "quote": the words of the context that the answer rests on, copied exactly (passages separated by " … "). Leave out a question that the context does not answer: do not guess.`,
  grade: `You grade answers of several anonymous readers (letters) to questions about a conversation. Compare each answer with the gold answer. Give 1 if it has all essential elements of the gold answer (other words are fine, more detail is fine), 0.5 if it has about half of them or is only nearly right, 0 if it misses them, and "w" if it states something false that contradicts the gold answer. Grade each answer by itself and all readers by the same measure. The result is an object: the id of the question as the key, and as the value an object with a grade (1, 0.5, 0 or "w") for each letter.`,
};

/** The texts that a model has written for this depth, as far as it is recorded: an element for each compaction. */
export function writtenFor(depth: number): Written {
  const texts = (kind: string) => {
    const found: string[] = [];
    for (let step = 1; step <= depth; step++) {
      const text = readRecorded<string>(`${kind}-d${depth}-s${step}`)?.result;
      if (text === undefined) break;
      found.push(text);
    }
    return found;
  };
  return { summaries: texts("summary"), notepads: texts("notepad") };
}

function writeTask(kind: "summary" | "notepad", depth: number, step: number): Task | undefined {
  const written = writtenFor(depth)[kind === "summary" ? "summaries" : "notepads"];
  if (written.length < step - 1) return undefined;
  const before = written[step - 2] ?? (kind === "summary" ? "(none)" : "(empty)");
  const heading = kind === "summary" ? "# The earlier summary" : "# Your notepad";
  const span = print(spansOf(depth)[step - 1] ?? []);
  const input = `${heading}\n\n${before}\n\n# The conversation since then\n\n${span}\n`;
  return { id: `${kind}-d${depth}-s${step}`, kind, prompt: prompts[kind], input };
}

export const readId = (condition: Condition, depth: number) => `read-${condition.id}-d${depth}`;
const queriesId = (condition: Condition, depth: number) => `queries-${condition.id}-d${depth}`;

/** The conditions that are read at this depth. */
export function conditionsAt(depth: number): Condition[] {
  return conditions.filter(({ compactions }) => compactions.includes(depth));
}

const questionsHeading = "\n\n# The questions\n\n";
const asked = (context: string) => `# The context\n\n${context}${questionsHeading}${printQuestions()}\n`;
/** The context in the input of a reader. */
export const contextIn = (input: string) =>
  input.slice("# The context\n\n".length, input.indexOf(questionsHeading));

async function readTasks(condition: Condition, depth: number): Promise<Task[]> {
  const written = writtenFor(depth);
  if (condition.needs.some((kind) => written[kind].length < depth)) return [];
  const context = await condition.context(depth, written);
  const read = (text: string): Task => ({
    id: readId(condition, depth),
    kind: "read",
    prompt: prompts.read,
    input: asked(text),
  });
  if (!condition.tool) return [read(context)];
  const id = queriesId(condition, depth);
  const input = `${asked(context)}\n# The tool\n\n${condition.tool.description}\n`;
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
  const id = `grade-d${depth}-${grader}`;
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

/** All tasks whose inputs are there, recorded or not. Peers need packages that are installed when they are first run. */
export async function allTasks({ withPeers = true } = {}): Promise<Task[]> {
  const tasks: Task[] = [];
  for (const depth of depths)
    for (let step = 1; step <= depth; step++)
      for (const kind of ["summary", "notepad"] as const) {
        const task = writeTask(kind, depth, step);
        if (task) tasks.push(task);
      }
  for (const depth of depths)
    for (const condition of conditionsAt(depth))
      if (withPeers || !condition.isPeer) tasks.push(...(await readTasks(condition, depth)));
  for (const depth of depths)
    if (conditionsAt(depth).length === readConditions(depth).size)
      for (const grader of graders) tasks.push(gradeTask(depth, grader));
  return tasks;
}

/** Checks a model's result; throws with what is wrong. */
export function checkResult({ id, kind, input }: Task, result: unknown): unknown {
  if (kind === "summary" || kind === "notepad") {
    if (typeof result !== "string" || result.trim() === "")
      throw new Error(`${id}: the result is not a text.`);
    return kind === "notepad" ? result.trim().slice(0, notepadLength) : result.trim();
  }
  if (typeof result !== "object" || result === null) throw new Error(`${id}: the result is not an object.`);
  const given = result as Record<string, unknown>;
  for (const question of Object.keys(given))
    if (!questions.some((each) => each.id === question))
      throw new Error(`${id}: there is no question ${question}.`);
  if (kind === "read") {
    const problems = answerProblems(contextIn(input), given as Answers);
    if (problems.length > 0) throw new Error(`${id}:\n${problems.join("\n")}`);
  } else if (kind === "queries") {
    const known = new Set(wordsOf(input));
    for (const [question, text] of Object.entries(given)) {
      if (typeof text !== "string" || text.split(" | ").length > 2)
        throw new Error(`${id}: question ${question} has not one or two searches.`);
      const invented = wordsOf(text).filter((word) => !known.has(word));
      if (invented.length > 0)
        throw new Error(`${id}, question ${question}: the reader cannot know ${invented.join(", ")}.`);
    }
  } else checkGrades(id, input, given);
  return given;
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const flat = (text: string) => text.replaceAll(/\s+/g, " ").toLowerCase();
/** Numbers, paths and names with a digit, an underscore or a slash: they cannot come from anywhere but the context. */
const exactNames = (text: string) =>
  (flat(text).match(/[\p{L}\p{N}_./-]*[\d_/][\p{L}\p{N}_./,-]*/gu) ?? []).map((name) =>
    name.replace(/^[.,/-]+|[.,/-]+$/g, ""),
  );

/** Answers that do not rest on the context: a quote that is not in it, or an exact name that is not. */
export function answerProblems(context: string, answers: Answers): string[] {
  const text = flat(context);
  const known = `${text} ${flat(printQuestions())}`;
  return Object.entries(answers).flatMap(([question, { answer, quote }]) => {
    if (typeof answer !== "string" || typeof quote !== "string" || quote.trim() === "")
      return [`question ${question}: an answer has "answer" and "quote".`];
    const missing = quote.split(" … ").filter((part) => !text.includes(flat(part).trim()));
    const invented = exactNames(answer).filter((name) => !known.includes(name));
    return [
      ...missing.map((part) => `question ${question}: the context does not contain "${part}".`),
      ...invented.map((name) => `question ${question}: the context does not contain the name ${name}.`),
    ];
  });
}

const grades: readonly unknown[] = [0, 0.5, 1, "w"];

/** A grade for each letter that the grader was shown. */
function checkGrades(id: string, input: string, given: Record<string, unknown>): void {
  for (const { id: question } of questions) {
    const section = input.split(/^## /m).find((part) => part.startsWith(`${question}. `)) ?? "";
    for (const [, letter = ""] of section.matchAll(/^- ([A-Z]): /gm))
      if (!grades.includes((given[question] as Record<string, unknown> | undefined)?.[letter]))
        throw new Error(`${id}, question ${question}: reader ${letter} has no grade of 1, 0.5, 0 or "w".`);
  }
}
