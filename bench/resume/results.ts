import { storyNamed } from "./conditions.ts";
import type { Task } from "./tasks.ts";

/** Checks a model's result of one story; throws with what is missing. */
export function checkResult({ id, kind, inputs }: Task, story: string, result: unknown): unknown {
  const where = `${id}, ${story}`;
  if (kind === "summary" || kind === "notepad") {
    if (typeof result !== "string" || result.trim() === "")
      throw new Error(`${where}: the result is not a text.`);
    return kind === "notepad" ? result.trim().slice(0, 4_000) : result.trim();
  }
  if (typeof result !== "object" || result === null)
    throw new Error(`${where}: the result is not an object.`);
  const given = result as Record<string, unknown>;
  return Object.fromEntries(
    storyNamed(story).questions.map(({ id: question }) => {
      const value = given[question];
      if (kind === "read") {
        if (typeof value !== "string") throw new Error(`${where}: question ${question} has no answer.`);
        return [question, value];
      }
      return [question, checkGrades(`${where}, question ${question}`, inputs[story] ?? "", question, value)];
    }),
  );
}

const grades: readonly unknown[] = [0, 0.5, 1, "w"];

/** A grade for each letter that the grader was shown. */
function checkGrades(where: string, input: string, question: string, value: unknown): unknown {
  const section = input.split(/^## /m).find((part) => part.startsWith(`${question}. `)) ?? "";
  const shown = [...section.matchAll(/^- ([A-Z]): /gm)].map(([, letter = ""]) => letter);
  const given = (value ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    shown.map((letter) => {
      if (!grades.includes(given[letter]))
        throw new Error(`${where}: reader ${letter} has no grade of 1, 0.5, 0 or "w".`);
      return [letter, given[letter]];
    }),
  );
}
