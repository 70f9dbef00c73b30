/**
 * Checks what a model wrote for a task, from the task's own words alone. `export` puts a copy next to each task, so this
 * file imports nothing.
 */
export type TaskKind = "summary" | "notepad" | "plan" | "observation" | "queries" | "read" | "grade";

/** The most that a summary may have, in words, and a notepad, in characters. */
export const maxWords = 1_000;
export const maxNotepad = 6_000;

export const isText = (kind: TaskKind): boolean =>
  ["summary", "notepad", "plan", "observation"].includes(kind);

const contextHeading = "# The context\n\n";
const questionsHeading = "\n\n# The questions\n\n";

/** The input of a reader. */
export const asked = (context: string, questions: string): string =>
  `${contextHeading}${context}${questionsHeading}${questions}\n`;

/** The context in the input of a reader. */
export const contextIn = (input: string): string =>
  input.slice(contextHeading.length, Math.max(contextHeading.length, input.indexOf(questionsHeading)));

/** The result in what a model wrote: a text, or the object in its JSON. */
export function parseResult(kind: TaskKind, written: string): unknown {
  if (isText(kind)) return written.trim();
  const json = written.slice(written.indexOf("{"), written.lastIndexOf("}") + 1);
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`The answer is not a JSON object: ${(error as Error).message}`);
  }
}

/** The faults of a result, a line for each. A result without faults can be recorded. */
export function problemsIn(kind: TaskKind, input: string, result: unknown): string[] {
  if (isText(kind)) return textProblems(kind, result);
  if (typeof result !== "object" || result === null || Array.isArray(result))
    return ["The answer is not a JSON object."];
  const given = result as Record<string, unknown>;
  const ids = new Set([...input.matchAll(/^(?:## )?([a-z]+\.\d+)\. /gm)].map(([, id]) => id));
  const unknown = Object.keys(given).filter((id) => !ids.has(id));
  return [
    ...unknown.map((id) => `There is no question ${id}.`),
    ...(kind === "grade"
      ? gradeProblems(input, given)
      : Object.entries(given).flatMap(([id, value]) =>
          kind === "read" ? answerProblems(contextIn(input), id, value) : searchProblems(id, value),
        )),
  ];
}

function textProblems(kind: TaskKind, result: unknown): string[] {
  if (typeof result !== "string" || result.trim() === "") return ["The text is empty."];
  const words = result.trim().split(/\s+/).length;
  if (kind === "summary" && words > maxWords)
    return [`The summary has ${words} words, and at most ${maxWords} are allowed.`];
  if (kind === "notepad" && result.length > maxNotepad)
    return [`The notepad has ${result.length} characters, and at most ${maxNotepad} are allowed.`];
  if (kind === "observation" && !/<observations>.+<\/observations>/s.test(result))
    return ["The text has no <observations> … </observations>."];
  return [];
}

function answerProblems(context: string, id: string, value: unknown): string[] {
  const { answer, quote } = (value ?? {}) as { answer?: unknown; quote?: unknown };
  if (typeof answer !== "string" || answer.trim() === "" || typeof quote !== "string")
    return [`Question ${id}: an answer is an object with "answer" and "quote", both texts.`];
  const parts = flat(quote)
    .split(/…|\.\.\./)
    .map((part) => part.trim());
  if (parts.every((part) => part === ""))
    return [`Question ${id}: the quote is empty. Leave out a question that the context does not answer.`];
  const text = flat(context);
  return parts
    .filter((part) => !text.includes(part))
    .map((part) => `Question ${id}: the context does not contain "${part}".`);
}

/** Spaces, case, emphasis and the form of quotation marks do not matter. */
function flat(text: string): string {
  return text
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ")
    .toLowerCase();
}

function searchProblems(id: string, value: unknown): string[] {
  const searches = typeof value === "string" ? value.split(" | ") : [];
  if (searches.length >= 1 && searches.length <= 2 && searches.every((search) => search.trim() !== ""))
    return [];
  return [`Question ${id}: the value is one search, or two with " | " between them.`];
}

const grades: readonly unknown[] = [0, 0.5, 1, "w"];

/** A grade for each letter that the grader was shown, and for no other. */
function gradeProblems(input: string, given: Record<string, unknown>): string[] {
  return input.split(/^## /m).flatMap((section) => {
    const [, id] = /^([a-z]+\.\d+)\. /.exec(section) ?? [];
    if (id === undefined) return [];
    const own = (given[id] ?? {}) as Record<string, unknown>;
    const letters = [...section.matchAll(/^- ([A-Z]): /gm)].map(([, letter = ""]) => letter);
    return [
      ...letters
        .filter((letter) => !grades.includes(own[letter]))
        .map((letter) => `Question ${id}: reader ${letter} has no grade of 1, 0.5, 0 or "w".`),
      ...Object.keys(own)
        .filter((letter) => !letters.includes(letter))
        .map((letter) => `Question ${id}: there is no reader ${letter}.`),
    ];
  });
}

/** Numbers, paths and names with a digit, an underscore or a slash that the reader was not shown: it guessed them. */
export function guessedNames(input: string, answer: string): string[] {
  const known = flat(input);
  const names = flat(answer).match(/[\p{L}\p{N}_./-]*[\d_/][\p{L}\p{N}_./,-]*/gu) ?? [];
  return names.map((name) => name.replace(/^[.,/-]+|[.,/-]+$/g, "")).filter((name) => !known.includes(name));
}
