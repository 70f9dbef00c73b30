import { basename } from "node:path";
import { backup } from "./stories/backup.ts";
import { editor } from "./stories/editor.ts";
import { ferry } from "./stories/ferry.ts";
import { mail } from "./stories/mail.ts";
import { plates } from "./stories/plates.ts";
import { telemetry } from "./stories/telemetry.ts";
import type { Question, Step, Story } from "./story.ts";

const stories: readonly Story[] = [backup, editor, ferry, mail, plates, telemetry];

/** Where the agent works: the folders of all stories are below it. */
export const workFolder = "/code";

/** All stories one after another, as one session that fills a window of 200,000 tokens. */
export const session: readonly Step[] = stories.flatMap(({ steps, folder }) =>
  inFolder(steps, folder, `${workFolder}/${basename(folder)}`),
);

/** The steps as if the agent worked in another folder. */
export function inFolder(steps: readonly Step[], from: string, to: string): Step[] {
  return JSON.parse(JSON.stringify(steps).replaceAll(from, to)) as Step[];
}

export interface AskedQuestion extends Question {
  /** Such as `mail.4`. */
  id: string;
  story: string;
  /** The place of its story in the session. */
  part: "first" | "middle" | "last";
}

const parts = ["first", "middle", "last"] as const;

export const questions: readonly AskedQuestion[] = stories.flatMap(({ id, questions: own }, index) =>
  own.map((question) => ({
    ...question,
    id: `${id}.${question.id}`,
    story: id,
    part: parts[Math.floor((index * parts.length) / stories.length)] ?? "last",
  })),
);

/** The questions as readers see them, below the folder of their story. */
export function printQuestions(): string {
  return stories
    .filter((story) => story.questions.length > 0)
    .map(({ id, folder }) => {
      const own = questions.filter(({ story }) => story === id);
      const lines = own.map((question) => `${question.id}. ${question.question}`);
      return `## About the work in ${workFolder}/${basename(folder)}\n\n${lines.join("\n")}`;
    })
    .join("\n\n");
}

/** A step as it is read: input and result of a call, or the words. */
export function textOf(step: Step): string {
  return step.kind === "call" ? `${step.tool} ${JSON.stringify(step.input)}\n${step.result}` : step.text;
}

/** The session in as many spans as there are compactions, about equally long. */
export function spansOf(compactions: number): Step[][] {
  const total = session.reduce((sum, step) => sum + textOf(step).length, 0);
  const spans: Step[][] = Array.from({ length: compactions }, () => []);
  let read = 0;
  for (const step of session) {
    const at = Math.min(compactions - 1, Math.floor((read / total) * compactions));
    spans[at]?.push(step);
    read += textOf(step).length;
  }
  return spans;
}

/** The last message of the user: every context ends with it. */
export const lastMessage = textOf(session.findLast(({ kind }) => kind === "user") as Step);

/** Steps for a reader, numbered. */
export function print(steps: readonly Step[]): string {
  return steps
    .map((step, index) => {
      const number = `[${index + 1}]`;
      if (step.kind === "call")
        return `${number} CALL ${step.tool} ${JSON.stringify(step.input)}\n${number} RESULT${step.failed ? " (failed)" : ""}: ${step.result}`;
      return `${number} ${step.kind.toUpperCase()}: ${step.text}`;
    })
    .join("\n");
}
