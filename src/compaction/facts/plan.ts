import { type StoredMessage, toolCallsOf } from "../../context/conversation.ts";
import { isObject } from "../../engine/json.ts";
import type { State } from "../../engine/state.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import { fieldsOf } from "./call-input.ts";

export interface PlanItems {
  open: string[];
  closed: string[];
}

/** The plan in memory (the plan space and the notepad), and the last one that the agent gave its host's to-do tool. */
export function planItems(state: State, messages: readonly StoredMessage[], earlier?: PlanItems): PlanItems {
  const written = writtenPlan(state);
  const todo = lastTodo(messages) ?? earlier ?? { open: [], closed: [] };
  return {
    open: [...new Set([...written.open, ...todo.open])],
    closed: [...new Set([...written.closed, ...todo.closed])],
  };
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

/** The items of the last call that carries a list with a status each. */
function lastTodo(messages: readonly StoredMessage[]): PlanItems | undefined {
  for (const stored of messages.toReversed()) {
    for (const { input } of toolCallsOf(stored).toReversed()) {
      const { todos, plan, items } = fieldsOf(input);
      const list = [todos, plan, items].find((value) => Array.isArray(value));
      const entries = (list ?? []).flatMap((item: unknown) => todoOf(item));
      if (entries.length === 0) continue;
      const texts = (isDone: boolean) =>
        entries.filter(({ done }) => done === isDone).map(({ text }) => text);
      return { open: texts(false), closed: texts(true).reverse() };
    }
  }
  return undefined;
}

function todoOf(item: unknown): { text: string; done: boolean }[] {
  if (!isObject(item) || typeof item.status !== "string") return [];
  const text = item.content ?? item.step ?? item.title ?? item.text;
  return typeof text === "string" && text !== "" ? [{ text, done: doneStatus.test(item.status) }] : [];
}
