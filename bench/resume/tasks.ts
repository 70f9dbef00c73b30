import { warningText } from "../../src/compaction/notices.ts";
import { conditions, contextsOf, type Written } from "./conditions.ts";
import { type Answers, type ByStory, hashOf, readRecorded } from "./recorded.ts";
import { print, spansOf, stories } from "./stories.ts";

/** Something that a model does: the same prompt over one input for each story. */
export interface Task {
  /** Such as `summary-d3-s2`: depth 3, second compaction. */
  id: string;
  kind: "summary" | "notepad" | "read" | "grade";
  /** The work on one input. */
  prompt: string;
  inputs: ByStory<string>;
}

export type AnyCondition = (typeof conditions)[number];

export const depths = [1, 3] as const;
export const graders = ["a", "b"] as const;

const summaryPrompt = `You are a coding agent. Your context window is full, and the conversation below is about to be removed. Write the summary that replaces it: you go on from this summary and nothing else. Cover the user's requests and wishes, decisions and their reasons, findings, what was tried and failed, files and exact names, what is done, what is open, and the next step. If there is an earlier summary, carry it forward: it is removed as well. Do not invent anything. Write 500 to 900 words. The result is the text of the summary.`;

const notepadPrompt = `You are a coding agent with a session notepad. You have worked through the conversation below, and your notepad is as shown. Now you get this message:

${warningText}

Write the whole notepad as it is after your update, at most 4,000 characters. Do not invent anything. The result is the text of the notepad.`;

const readPrompt = `You are a coding agent whose conversation was compacted. The context below is all that you have left of it. Answer the questions from this context in one to three short sentences each. If the context does not say it, answer "unknown": do not guess. The result is an object: the number of each question as the key, your answer as the value (a string).`;

const gradePrompt = `You grade answers of several anonymous readers (letters) to questions about a conversation. Compare each answer with the gold answer. Give 1 if it has all essential elements of the gold answer (other words are fine, more detail is fine), 0.5 if it has about half of them or is only nearly right, 0 if it is unknown or misses them, and "w" if it states something false that contradicts the gold answer. Grade each answer by itself and all readers by the same measure. The result is an object: the number of each question as the key, and as the value an object with a grade (1, 0.5, 0 or "w") for each letter.`;

/** The recorded texts of a model for this depth: an element for each compaction. */
export function writtenFor(story: string, depth: number): Written {
  const texts = (kind: string) => {
    const found: string[] = [];
    for (let step = 1; step <= depth; step++) {
      const text = readRecorded<string>(`${kind}-d${depth}-s${step}`)?.results[story];
      if (text === undefined) break;
      found.push(text);
    }
    return found;
  };
  return { summaries: texts("summary"), notepads: texts("notepad") };
}

function isReady(condition: AnyCondition, depth: number): boolean {
  return stories.every(({ id }) => {
    const written = writtenFor(id, depth);
    return condition.needs.every((kind) => written[kind].length === depth);
  });
}

function writeTask(kind: "summary" | "notepad", depth: number, step: number): Task | undefined {
  const inputs: ByStory<string> = {};
  for (const story of stories) {
    const written = writtenFor(story.id, depth)[kind === "summary" ? "summaries" : "notepads"];
    if (written.length < step - 1) return undefined;
    const before = written[step - 2] ?? (kind === "summary" ? "(none)" : "(empty)");
    const span = spansOf(story, depth)[step - 1] ?? [];
    const heading = kind === "summary" ? "# The earlier summary" : "# Your notepad";
    inputs[story.id] = `${heading}\n\n${before}\n\n# The conversation since then\n\n${print(span)}\n`;
  }
  const prompt = kind === "summary" ? summaryPrompt : notepadPrompt;
  return { id: `${kind}-d${depth}-s${step}`, kind, prompt, inputs };
}

export const readId = (condition: AnyCondition, depth: number) => `read-${condition.id}-d${depth}`;

const made = new Map<string, Promise<ByStory<string>>>();

/** The contexts of a condition, made once for the same texts. */
export function madeContexts(condition: AnyCondition, depth: number): Promise<ByStory<string>> {
  const written = stories.map(({ id }) => condition.needs.map((kind) => writtenFor(id, depth)[kind]));
  const key = `${condition.id.replace(/-again$/, "")} ${depth} ${hashOf(JSON.stringify(written))}`;
  const contexts = made.get(key) ?? contextsOf(condition, depth, (story) => writtenFor(story, depth));
  made.set(key, contexts);
  return contexts;
}

async function readTask(condition: AnyCondition, depth: number): Promise<Task> {
  const contexts = await madeContexts(condition, depth);
  const inputs = Object.fromEntries(
    stories.map(({ id, questions }) => {
      const asked = questions.map((question) => `${question.id}. ${question.question}`).join("\n");
      return [id, `# The context\n\n${contexts[id]}\n\n# The questions\n\n${asked}\n`];
    }),
  );
  return { id: readId(condition, depth), kind: "read", prompt: readPrompt, inputs };
}

/** Letters for the conditions of a batch, in another order for each story and grader. */
export function lettersFor(batch: string, story: string, ids: readonly string[]): Map<string, string> {
  const order = ids.toSorted((a, b) =>
    hashOf(`${batch} ${story} ${a}`) < hashOf(`${batch} ${story} ${b}`) ? -1 : 1,
  );
  return new Map(order.map((id, index) => [String.fromCharCode(65 + index), id]));
}

/** An answer that needs no grader. */
export const isUnknown = (answer: string | undefined) => !answer || /^\s*unknown\W*$/i.test(answer);

/** The conditions that are read at this depth. */
export function conditionsAt(depth: number): AnyCondition[] {
  return conditions.filter(({ compactions }) => compactions.includes(depth));
}

function gradeTask(depth: number, grader: string): Task | undefined {
  const read = new Map<string, Answers>();
  for (const condition of conditionsAt(depth)) {
    const answers = readRecorded<Record<string, string>>(readId(condition, depth))?.results;
    if (answers) read.set(condition.id, answers);
    else if (isReady(condition, depth)) return undefined;
  }
  if (read.size === 0) return undefined;
  const id = `grade-d${depth}-${grader}`;
  const inputs = Object.fromEntries(
    stories.map((story) => {
      const letters = lettersFor(id, story.id, [...read.keys()]);
      const items = story.questions.map(({ id: question, question: text, gold }) => {
        const lines = [...letters].flatMap(([letter, condition]) => {
          const answer = read.get(condition)?.[story.id]?.[question];
          return isUnknown(answer) ? [] : [`- ${letter}: ${answer?.replaceAll("\n", " ")}`];
        });
        return `## ${question}. ${text}\nGold: ${gold}\n${lines.join("\n") || "(no answers: give {})"}`;
      });
      return [story.id, `${items.join("\n\n")}\n`];
    }),
  );
  return { id, kind: "grade", prompt: gradePrompt, inputs };
}

/** All tasks whose inputs are there, recorded or not. */
export async function allTasks(): Promise<Task[]> {
  const tasks: Task[] = [];
  for (const depth of depths)
    for (let step = 1; step <= depth; step++)
      for (const kind of ["summary", "notepad"] as const) {
        const task = writeTask(kind, depth, step);
        if (task) tasks.push(task);
      }
  for (const depth of depths)
    for (const condition of conditionsAt(depth))
      if (isReady(condition, depth)) tasks.push(await readTask(condition, depth));
  for (const depth of depths)
    for (const grader of graders) {
      const task = gradeTask(depth, grader);
      if (task) tasks.push(task);
    }
  return tasks;
}

/** The stories whose recorded result was made from another input, or is missing. */
export function staleStories({ id, prompt, inputs }: Task): string[] {
  const recorded = readRecorded(id);
  return Object.keys(inputs).filter(
    (story) =>
      recorded?.hashes[story] !== hashOf(`${prompt}\n${inputs[story]}`) || !(story in recorded.results),
  );
}
