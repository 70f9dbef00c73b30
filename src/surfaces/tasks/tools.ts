import { z } from "zod";
import { fenceContent } from "../../context/fence.ts";
import { oneLine } from "../../engine/text.ts";
import { defineTool, type Surface } from "../surface.ts";
import { tasksView } from "./block.ts";

const done = z.object({ ok: z.literal(true), task_id: z.string(), depth: z.number() });

const beginTask = defineTool({
  name: "begin_task",
  description: "Open a task. When you end it, everything since collapses to one line.",
  adapt: (_limits, presentation) =>
    presentation.keepsConversation
      ? {}
      : {
          description: "Open a task. It and its outcome are kept outside the conversation.",
        },
  input: z.strictObject({ description: z.string().min(1).describe("What the task is, in one line") }),
  output: done,
  run: async ({ session, options }, { description }) =>
    answer(await session.apply({ type: "tasks.begin", description: line(description) }, options)),
});

const endTask = defineTool({
  name: "end_task",
  description: "End the innermost open task with its outcome. Save what you still need first.",
  input: z.strictObject({ summary: z.string().min(1).describe("The outcome, in one line") }),
  output: done,
  run: async ({ session, options }, { summary }) =>
    answer(await session.apply({ type: "tasks.end", summary: line(summary) }, options)),
});

const cancelTask = defineTool({
  name: "cancel_task",
  description:
    "Give up the innermost open task. The reason stays, so that you do not try the dead end again.",
  input: z.strictObject({ reason: z.string().min(1).describe("Why it does not work") }),
  output: done,
  run: async ({ session, options }, { reason }) =>
    answer(await session.apply({ type: "tasks.cancel", reason: line(reason) }, options)),
});

function answer({ result }: { result: { task?: string; depth?: number } }) {
  return { ok: true as const, task_id: result.task ?? "", depth: result.depth ?? 0 };
}

function line(text: string): string {
  return fenceContent(oneLine(text));
}

export const tasksSurface: Surface = {
  ...tasksView,
  tools: [beginTask, endTask, cancelTask],
  guidance: (_limits, { keepsConversation, shown }) => {
    const again = `shown to you again after a compaction${shown === "host" ? " if the host runs Holdfast's hooks" : ""}`;
    const effect = keepsConversation
      ? "its steps collapse to one line"
      : `open tasks and outcomes are kept, and ${again}; the conversation itself stays as it is`;
    return `For work with many steps call begin_task, and when it is done call end_task with the outcome: ${effect}. If it leads nowhere, call cancel_task with the reason. Tasks can be nested up to four deep.`;
  },
};
