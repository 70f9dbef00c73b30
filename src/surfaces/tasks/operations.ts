import { readSpans } from "../../engine/conversation.ts";
import type { Draft } from "../../engine/draft.ts";
import { messageKey } from "../../engine/messages.ts";
import type { Handlers } from "../../engine/operations.ts";
import type { OpenTask, Span } from "../../engine/records.ts";
import { listResident, type State } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";

export type TaskOperation =
  | { type: "tasks.begin"; description: string }
  | { type: "tasks.end"; summary: string }
  | { type: "tasks.cancel"; reason: string };

export type TaskResult = { task: string; depth: number };

const maxDepth = 4;

export const taskOperations: Handlers<TaskOperation, TaskResult> = {
  "tasks.begin": (draft, { description }, state) => ({
    result: beginTask(draft, state, description),
    warnings: [],
  }),
  "tasks.end": (draft, { summary }, state) => ({
    result: closeTask(draft, state, "task", summary),
    warnings: [],
  }),
  "tasks.cancel": (draft, { reason }, state) => ({
    result: closeTask(draft, state, "cancelled", reason),
    warnings: [],
  }),
};

/** Outermost first. */
export function readTasks(state: State): [key: string, task: OpenTask][] {
  return listResident(state, "task");
}

function beginTask(draft: Draft, state: State, description: string): { task: string; depth: number } {
  const open = readTasks(state);
  if (open.length >= maxDepth) {
    throw new HoldfastError(
      "over_limit",
      `Tasks can be nested ${maxDepth} deep, and ${open.length} are open. Call end_task or cancel_task first. The innermost is: ${open.at(-1)?.[1].description}`,
      { data: { open: open.length, limit: maxDepth } },
    );
  }
  const number = draft.counter("lastTask") + 1;
  const task = `task_${number}`;
  draft.mark("lastTask", number);
  const value: OpenTask = { description, from: draft.counter("lastMessage"), depth: open.length + 1 };
  draft.insert("task", messageKey(number), value);
  return { task, depth: value.depth };
}

/** Collapses the innermost open task to one line, including spans collapsed inside it. */
function closeTask(
  draft: Draft,
  state: State,
  kind: "task" | "cancelled",
  outcome: string,
): { task: string; depth: number } {
  const innermost = readTasks(state).at(-1);
  if (!innermost) {
    throw new HoldfastError(
      "not_found",
      "There is no open task. Call begin_task first, or just continue: nothing needs closing.",
    );
  }
  const [key, { description, from, depth }] = innermost;
  const to = draft.counter("lastMessage");
  draft.remove("task", key);
  const own = `task-${key}`;
  const isInside = (inner: string, span: Span) => (span.to === 0 ? inner > own : span.from >= from);
  for (const [inner, span] of readSpans(state))
    if (span.kind !== "summary" && isInside(inner, span)) draft.remove("span", inner);
  const text =
    kind === "task" ? `[Task: ${description} — ${outcome}]` : `[Cancelled: ${description} — ${outcome}]`;
  // Where a host keeps the conversation there is nothing to collapse, but the outcome is kept.
  const hides = to > from ? { from, to } : { from: 0, to: 0 };
  draft.put("span", own, { ...hides, kind, text });
  const ended = readOutcomes(state).filter(([inner]) => !(inner > own));
  for (const [oldest] of ended.slice(0, Math.max(0, ended.length + 1 - maxOutcomes)))
    draft.remove("span", oldest);
  return { task: `task_${Number(key)}`, depth };
}

/** Outcomes that hide no messages, oldest first: their host keeps the conversation. */
export function readOutcomes(state: State): [key: string, outcome: Span][] {
  return listResident(state, "span").filter(([, { to, kind }]) => to === 0 && kind !== "summary");
}

/** Max outcomes that are kept where no conversation collapses. */
const maxOutcomes = 20;
