import type { StoredMessage } from "../context/conversation.ts";
import { toldMessages } from "../context/told-messages.ts";
import { isObject } from "../engine/json.ts";
import type { PlanItem } from "../engine/records.ts";

/** Tools that write a to-do list or a plan in a host. */
const planTool =
  /^(?:todo_?write|write_?todos?|todo|update_?plan|update_?todo_?list|manage_?todo_?list|task_?create|task_?update)$/i;

export function isPlanTool(name: string): boolean {
  return planTool.test(name);
}

const doneStatus = /^(?:completed|complete|done|cancelled|canceled|closed|finished)$/i;
const currentStatus = /^(?:in[_ -]?progress|active|current|doing)$/i;

/** The to-do list as the agent last wrote it with its host's own tool; `earlier` if it wrote none since. */
export function readPlan(messages: readonly StoredMessage[], earlier: readonly PlanItem[]): PlanItem[] {
  let plan = [...earlier];
  for (const { stored, parts } of toldMessages(messages)) {
    if (stored.inWarning) continue;
    for (const part of parts) {
      if (part.type !== "call" || !isPlanTool(part.tool) || !isObject(part.input)) continue;
      const { tool, input, result } = part;
      const list = [input.todos, input.plan, input.items, input.todoList].find(Array.isArray);
      if (list) plan = list.flatMap(itemOf);
      else if (/create$/i.test(tool)) plan.push(...createdTask(input, result?.text ?? "", plan.length));
      else plan = plan.flatMap((item) => updatedTask(item, input));
    }
  }
  return plan;
}

function itemOf(item: unknown): PlanItem[] {
  if (!isObject(item)) return [];
  const text = item.content ?? item.step ?? item.title ?? item.text ?? item.description;
  return typeof text === "string" && text !== "" ? [{ text, status: statusOf(item.status) }] : [];
}

function statusOf(status: unknown): PlanItem["status"] {
  if (typeof status !== "string") return "open";
  if (doneStatus.test(status)) return "done";
  return currentStatus.test(status) ? "current" : "open";
}

/** Claude Code's tasks are created and changed one by one, by the number that the tool returned. */
function createdTask({ subject }: Record<string, unknown>, result: string, count: number): PlanItem[] {
  if (typeof subject !== "string") return [];
  return [{ id: /#(\w+)/.exec(result)?.[1] ?? String(count + 1), text: subject, status: "open" }];
}

function updatedTask(
  item: PlanItem,
  { taskId, task_id, status, subject }: Record<string, unknown>,
): PlanItem[] {
  if (item.id === undefined || item.id !== String(taskId ?? task_id ?? "")) return [item];
  if (status === "deleted") return [];
  return [
    {
      ...item,
      text: typeof subject === "string" ? subject : item.text,
      status: status === undefined ? item.status : statusOf(status),
    },
  ];
}
