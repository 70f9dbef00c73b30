import type { StoredMessage } from "../../context/conversation.ts";
import { isObject } from "../../engine/json.ts";
import type { State } from "../../engine/state.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import { callsIn, type MadeCall } from "./calls.ts";

export interface PlanItems {
  open: string[];
  closed: string[];
}

/** The plan in memory (the plan space and the notepad), and the last one that the agent gave its host's to-do tool. */
export function planItems(state: State, messages: readonly StoredMessage[], earlier?: PlanItems): PlanItems {
  const written = writtenPlan(state);
  const before = earlier ?? { open: [], closed: [] };
  const todo = lastTodo(messages) ?? filterItems(before, (item) => !taskLabel.test(item));
  const tasks = hostTasks(messages, before);
  return {
    open: [...new Set([...written.open, ...todo.open, ...tasks.open])],
    closed: [...new Set([...written.closed, ...todo.closed, ...tasks.closed])],
  };
}

function filterItems({ open, closed }: PlanItems, isKept: (item: string) => boolean): PlanItems {
  return { open: open.filter(isKept), closed: closed.filter(isKept) };
}

/** How a task of the host's list is named: "#3 Port the parser". Its id is what the agent changes it with. */
const taskLabel = /^#(\w+) /;

/** Tasks that are created and changed one by one, as Claude Code's newer task tools do. */
function hostTasks(messages: readonly StoredMessage[], before: PlanItems): PlanItems {
  const tasks = new Map<string, { label: string; done: boolean }>();
  const add = (label: string, done: boolean) => {
    const id = taskLabel.exec(label)?.[1];
    if (id !== undefined) tasks.set(id, { label, done });
  };
  for (const label of before.open) add(label, false);
  for (const label of before.closed.toReversed()) add(label, true);
  for (const { tool, fields, result } of callsIn(messages)) {
    if (!/task_?(?:create|update)$/i.test(tool)) continue;
    const { subject, taskId, task_id, status } = fields;
    if (/create$/i.test(tool) && typeof subject === "string") {
      const id = /#(\w+)/.exec(result?.text ?? "")?.[1] ?? String(tasks.size + 1);
      add(`#${id} ${subject}`, false);
    } else if (/update$/i.test(tool)) {
      const id = String(taskId ?? task_id ?? "");
      const task = tasks.get(id);
      if (!task) continue;
      const label = typeof subject === "string" ? `#${id} ${subject}` : task.label;
      tasks.delete(id);
      if (status !== "deleted") add(label, typeof status === "string" ? doneStatus.test(status) : task.done);
    }
  }
  const labels = (isDone: boolean) =>
    [...tasks.values()].filter(({ done }) => done === isDone).map(({ label }) => label);
  return { open: labels(false), closed: labels(true).reverse() };
}

/** Memory of this length is shown whole beside the checkpoint; a longer one may be cut. */
const shownWhole = 4_000;

/** Finished items that the model would not see otherwise: those that memory shows need not be repeated. */
export function closedUnseen(state: State, closed: readonly string[]): string[] {
  const written = writtenText(state);
  return written.length > shownWhole ? [...closed] : closed.filter((item) => !written.includes(item));
}

function writtenText(state: State): string {
  return `${readScratchpad(state).plan}\n${state.row.notepad ?? ""}`;
}

/** Check lists and numbered plans in the plan space and the notepad. */
function writtenPlan(state: State): PlanItems {
  const open: string[] = [];
  const closed: string[] = [];
  for (const line of writtenText(state).split("\n")) {
    const item = /^\s*(?:[-*]|\d+[.)])\s+(?:\[([ xX~-])\]\s+)?(.+)$/s.exec(line);
    if (!item) continue;
    const [, box, text = ""] = item;
    const isClosed = (box ?? " ") !== " " || /~~.+~~|\b(?:DONE|CANCELLED|CANCELED)\b/.test(text);
    const isPlan = box !== undefined || /^\s*\d/.test(line);
    if (isClosed) closed.push(text);
    else if (isPlan) open.push(text);
  }
  // Newest first: most plans end with the item finished last, the one most likely to be redone.
  return { open, closed: closed.reverse() };
}

const doneStatus = /^(?:completed|done|cancelled|canceled|closed|finished)$/i;

const noCall: Pick<MadeCall, "tool" | "fields"> = { tool: "", fields: {} };

/** The items of the last call that carries a list with a status each. An empty list clears what was open before. */
function lastTodo(messages: readonly StoredMessage[]): PlanItems | undefined {
  let isCleared = false;
  const calls = callsIn(messages);
  for (let index = calls.length - 1; index >= 0; index--) {
    const { tool, fields } = calls[index] ?? noCall;
    const list = listIn(fields);
    if (!list) continue;
    if (list.length === 0 && /todo|plan/i.test(tool)) isCleared = true;
    const entries = list.flatMap((item: unknown) => todoOf(item));
    if (entries.length === 0) continue;
    const texts = (isDone: boolean) => entries.filter(({ done }) => done === isDone).map(({ text }) => text);
    return { open: isCleared ? [] : texts(false), closed: texts(true).reverse() };
  }
  return isCleared ? { open: [], closed: [] } : undefined;
}

/** Asked of every call: a list of the fields for each would take longer. */
function listIn({ todos, plan, items }: MadeCall["fields"]): unknown[] | undefined {
  if (Array.isArray(todos)) return todos;
  if (Array.isArray(plan)) return plan;
  return Array.isArray(items) ? items : undefined;
}

function todoOf(item: unknown): { text: string; done: boolean }[] {
  if (!isObject(item) || typeof item.status !== "string") return [];
  const text = item.content ?? item.step ?? item.title ?? item.text;
  return typeof text === "string" && text !== "" ? [{ text, done: doneStatus.test(item.status) }] : [];
}
