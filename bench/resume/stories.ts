import { backup } from "./stories/backup.ts";
import { editor } from "./stories/editor.ts";
import { ferry } from "./stories/ferry.ts";
import { mail } from "./stories/mail.ts";
import { plates } from "./stories/plates.ts";
import { telemetry } from "./stories/telemetry.ts";
import type { Step, Story } from "./story.ts";

export const stories: readonly Story[] = [backup, editor, ferry, mail, plates, telemetry];

/** A step as it is read: input and result of a call, or the words. */
export function textOf(step: Step): string {
  return step.kind === "call" ? `${step.tool} ${JSON.stringify(step.input)}\n${step.result}` : step.text;
}

/** The conversation in as many spans as there are compactions, about equally long. The last step is asked in all of them. */
export function spansOf({ steps }: Story, compactions: number): Step[][] {
  const total = steps.reduce((sum, step) => sum + textOf(step).length, 0);
  const spans: Step[][] = Array.from({ length: compactions }, () => []);
  let read = 0;
  for (const step of steps) {
    const at = Math.min(compactions - 1, Math.floor((read / total) * compactions));
    spans[at]?.push(step);
    read += textOf(step).length;
  }
  return spans;
}

/** The last message of the user: every context ends with it. */
export function lastMessage({ steps }: Story): string {
  return steps.findLast(({ kind }) => kind === "user")?.kind === "user"
    ? textOf(steps.findLast(({ kind }) => kind === "user") as Step)
    : "";
}

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
