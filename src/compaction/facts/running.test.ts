import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, stateWith, user } from "../../../test/support/conversation.ts";
import { stillRunning } from "./running.ts";

const start = [
  calls("Task", { description: "Port the parser", prompt: "…", run_in_background: true }, "1"),
  result("Async agent launched successfully.\nagentId: af8391d\noutput_file: tasks/af8391d.output", "1"),
  calls("Bash", { command: "npm run dev", run_in_background: true }, "2"),
  result("Command running in background with ID: b2efd29", "2"),
];
const agent = "Port the parser (Task, id af8391d)";
const server = "npm run dev (Bash, id b2efd29)";

test("what runs in the background is listed with the id that reaches it [controller.checkpoint]", () => {
  assert.deepEqual(stillRunning(stateWith(), conversation(...start)), [server, agent]);
});

test("what was refused or failed to start is not listed [controller.checkpoint]", () => {
  const refused = [
    calls("Task", { description: "Port the parser", run_in_background: true }, "0"),
    result("The user doesn't want to proceed with this tool use.", "0", "Task", "error-text"),
  ];
  assert.deepEqual(stillRunning(stateWith(), conversation(...refused, ...start)), [server, agent]);
});

test("what has ended is no longer listed, however the host says so [controller.checkpoint]", () => {
  const running = (...more: Parameters<typeof conversation>) =>
    stillRunning(stateWith(), conversation(...start, ...more));
  assert.deepEqual(
    running(calls("TaskOutput", { task_id: "af8391d" }, "3"), result("<status>completed</status>", "3")),
    [server],
  );
  assert.deepEqual(
    running(calls("TaskOutput", { task_id: "af8391d" }, "3"), result("<status>running</status>", "3")),
    [server, agent],
  );
  assert.deepEqual(running(calls("KillShell", { shell_id: "b2efd29" }, "3"), result("killed", "3")), [agent]);
  const gone = "Shell b2efd29 is not running, so it cannot be killed (status: completed)";
  const kill = (answer: string) =>
    running(calls("KillShell", { shell_id: "b2efd29" }, "3"), result(answer, "3", "KillShell", "error-text"));
  assert.deepEqual(kill(gone), [agent]);
  assert.deepEqual(kill("The user doesn't want to proceed with this tool use."), [server, agent]);
  const notice = (status: string) =>
    user(`<task-notification>\n<task-id>af8391d</task-id>\n<status>${status}</status>\n</task-notification>`);
  assert.deepEqual(running(notice("completed")), [server]);
  assert.deepEqual(running(notice("running")), [server, agent]);
  assert.deepEqual(
    stillRunning(stateWith(), conversation(notice("failed")), [server, agent]),
    [server],
    "started before the last compaction",
  );
});
