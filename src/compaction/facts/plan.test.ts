import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, stateWith } from "../../../test/support/conversation.ts";
import { planItems } from "./plan.ts";

const todos = (...list: [content: string, status: string][]) =>
  calls("TodoWrite", { todos: list.map(([content, status]) => ({ content, status })) });

test("an emptied to-do list leaves nothing open; what was done stays done [controller.checkpoint]", () => {
  const written = [todos(["parser", "completed"], ["printer", "in_progress"])];
  assert.deepEqual(planItems(stateWith(), conversation(...written)), {
    open: ["printer"],
    closed: ["parser"],
  });
  const cleared = conversation(...written, todos());
  assert.deepEqual(planItems(stateWith(), cleared), { open: [], closed: ["parser"] });
  const earlier = { open: ["printer"], closed: ["parser"] };
  assert.deepEqual(planItems(stateWith(), conversation(todos()), earlier), { open: [], closed: [] });
  const other = conversation(calls("search", { items: [] }));
  assert.deepEqual(planItems(stateWith(), other, earlier), earlier, "another tool's empty list");
});

test("tasks that are created and changed one by one are followed, also through a compaction [controller.checkpoint]", () => {
  const create = (subject: string, id: string) => [
    calls("TaskCreate", { subject, description: "…" }, id),
    result(`Task #${id} created successfully: ${subject}`, id),
  ];
  const update = (taskId: string, status: string) => calls("TaskUpdate", { taskId, status }, `u${taskId}`);
  const first = planItems(
    stateWith(),
    conversation(
      ...create("Port the parser", "1"),
      ...create("Port the printer", "2"),
      update("1", "completed"),
    ),
  );
  assert.deepEqual(first, { open: ["#2 Port the printer"], closed: ["#1 Port the parser"] });
  const second = planItems(
    stateWith(),
    conversation(update("2", "in_progress"), ...create("Write the docs", "3"), update("3", "deleted")),
    first,
  );
  assert.deepEqual(second, { open: ["#2 Port the printer"], closed: ["#1 Port the parser"] });
  const third = planItems(stateWith(), conversation(update("2", "completed")), second);
  assert.deepEqual(third.open, []);
  assert.deepEqual(new Set(third.closed), new Set(["#2 Port the printer", "#1 Port the parser"]));
});
