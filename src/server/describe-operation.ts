import { oneLine } from "../engine/text.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { linesOfMessage } from "./messages.ts";

type Operation = JournalEntry["operation"];

const bookkeeping = ["session", "messages", "context", "children"];

/** Whether an operation edits memory, as opposed to messages and the controller's bookkeeping. */
export function isMemoryOperation(type: string): boolean {
  return !bookkeeping.includes(type.split(".")[0] ?? "");
}

/** A one-line description of an operation, for the timeline. */
export function describeOperation(operation: Operation): string {
  switch (operation.type) {
    case "notepad.write":
      return operation.content === "" ? "Cleared the notepad" : "Rewrote the notepad";
    case "notepad.append":
    case "notepad.prepend":
      return `Added to the notepad: ${short(operation.content)}`;
    case "notepad.replace":
      return `Replaced in the notepad: ${short(operation.find)}`;
    case "notepad.delete":
      return `Removed from the notepad: ${short(operation.content)}`;
    case "notes.add":
      return `Added a note: ${short(operation.content)}`;
    case "notes.update":
      return operation.content === undefined
        ? "Changed a note's tags"
        : `Changed a note: ${short(operation.content)}`;
    case "notes.delete":
      return "Deleted a note";
    case "scratchpad.set_notes":
    case "scratchpad.write":
      return "Rewrote the scratchpad's notes";
    case "scratchpad.append_notes":
      return `Added to the scratchpad's notes: ${short(operation.content)}`;
    case "scratchpad.set_plan":
      return "Rewrote the plan";
    case "scratchpad.refs_add":
      return `Added a reference: ${short(operation.ref)}`;
    case "scratchpad.refs_remove":
      return `Removed a reference: ${short(operation.ref)}`;
    case "scratchpad.refs_set":
      return `Set ${operation.items.length} references`;
    case "undo":
      return `Undid revision ${operation.revision}`;
    case "tasks.begin":
      return `Began a task: ${short(operation.description)}`;
    case "tasks.end":
      return `Ended a task: ${short(operation.summary)}`;
    case "tasks.cancel":
      return `Cancelled a task: ${short(operation.reason)}`;
    case "pins.pin":
      return `Pinned: ${short(operation.text)}`;
    case "pins.unpin":
      return `Unpinned ${operation.id}`;
    case "state.set":
      return `Set the state ${short(operation.key)}`;
    case "state.delete":
      return `Deleted the state ${short(operation.key)}`;
    case "skills.save":
    case "tools.save":
      return `Saved the ${operation.type === "skills.save" ? "skill" : "tool"} ${short(operation.name)}`;
    case "skills.delete":
    case "tools.delete":
      return `Deleted the ${operation.type === "skills.delete" ? "skill" : "tool"} ${short(operation.name)}`;
    default:
      return describeBookkeeping(operation);
  }
}

function describeBookkeeping(operation: Operation): string {
  switch (operation.type) {
    case "messages.add":
      return operation.messages.map((message) => short(linesOfMessage(message))).join(" · ");
    case "context.open":
      return "Opened the first epoch";
    case "context.inject":
      return "Sent the model the changes in memory";
    case "context.refresh":
      return "Took a new snapshot of memory for the system prompt";
    case "context.tell":
      return "Reported context usage to the agent";
    case "context.warn":
      return `Warned the agent about a compaction (${operation.trigger})`;
    case "context.skip_warning":
      return `Could not warn the agent: ${short(operation.reason)}`;
    case "context.handoff":
      return "Wrote a handoff";
    case "context.clear":
      return `Cleared ${operation.results.length} tool results`;
    case "context.compact":
      return `Compacted messages ${operation.receipt.from} to ${operation.to}`;
    case "context.receipt":
      return "The host compacted the conversation";
    case "context.verify":
      return operation.lacks.length === 0
        ? `Checked the receipt against call ${operation.call}`
        : `Call ${operation.call} lacks what the receipt says: ${short(operation.lacks.join(" · "))}`;
    case "children.set":
      return `Delegated work: ${operation.child.status}`;
    case "session.rename":
      return operation.title === null
        ? "Removed the title"
        : `Renamed the session: ${short(operation.title)}`;
    case "session.status":
      return `Set the session to ${operation.status}`;
    case "session.fork":
      return `Forked into ${operation.child}`;
    case "session.forked":
      return `Forked from ${operation.from}`;
    case "session.create":
      return "Created the session";
    case "session.redact":
      return "Redacted stored text";
    case "session.import":
      return "Imported the session";
    default:
      return operation.type;
  }
}

function short(text: string): string {
  return oneLine(text, 80);
}
