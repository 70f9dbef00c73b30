import { diffLines } from "../engine/diff.ts";
import { readText, revertChanges, type State, type TextTarget } from "../engine/state.ts";
import { oneLine } from "../engine/text.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { linesOfMessage } from "./messages.ts";

const names: Partial<Record<TextTarget, string>> = {
  notepad: "the notepad",
  "space/plan": "the plan",
  "space/notes": "the scratchpad's notes",
};

/** Pairs of lines. Comparing more takes longer than a sentence is worth, and other requests wait meanwhile. */
const maxCompared = 250_000;

/** An entry in a sentence, by what it did to the text. `after` is the state right after it. */
export function describeEntry(entry: JournalEntry, after: State): string {
  const change = entry.changes.find(({ type }) => type === "text");
  const name = change?.type === "text" ? names[change.target] : undefined;
  if (change?.type !== "text" || name === undefined || entry.operation.type === "undo")
    return describeOperation(entry.operation);
  if (countLines(change.removed) * countLines(change.inserted) > maxCompared) return `Rewrote ${name}`;
  const before = readText(revertChanges(after, entry.changes), change.target);
  const now = readText(after, change.target);
  return describeText(before, now, name);
}

function describeText(before: string, after: string, name: string): string {
  if (before === after) return `Wrote ${name} again, without a change`;
  if (after === "") return `Cleared ${name}`;
  const lines = diffLines(before, after);
  const [added, removed] = [textsOf(lines, "added"), textsOf(lines, "removed")];
  const toggled = describeToggles(added, removed);
  if (toggled !== undefined) return toggled;
  if (added.length === 0 && removed.length === 0) return `Changed blank lines of ${name}`;
  if (before === "") return `Wrote ${name}: ${short(added)}`;
  if (removed.length === 0) return `Added to ${name}: ${short(added)}`;
  if (added.length === 0) return `Removed from ${name}: ${short(removed)}`;
  if (added.length === 1 && removed.length === 1)
    return `Changed in ${name}: ${short(removed, 40)} → ${short(added, 40)}`;
  return `Changed ${name}: ${added.length} ${plural(added.length)} added, ${removed.length} removed`;
}

/** "Ticked: Read all sheets", if checkboxes are all that changed. */
function describeToggles(added: readonly string[], removed: readonly string[]): string | undefined {
  if (added.length === 0 || added.length !== removed.length) return undefined;
  const pairs = added.map((line, index) => [taskIn(line), taskIn(removed[index] ?? "")] as const);
  const isToggle = pairs.every(
    ([now, then]) => now && then && now.text === then.text && now.done !== then.done,
  );
  if (!isToggle) return undefined;
  const tasks = (done: boolean) => pairs.flatMap(([now]) => (now?.done === done ? [now.text] : []));
  return [
    ...(tasks(true).length > 0 ? [`Ticked: ${oneLine(tasks(true).join("; "), 120)}`] : []),
    ...(tasks(false).length > 0 ? [`Unticked: ${oneLine(tasks(false).join("; "), 120)}`] : []),
  ].join(". ");
}

function taskIn(line: string): { done: boolean; text: string } | undefined {
  const [, box, text = ""] = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(.*)$/s.exec(line) ?? [];
  return box === undefined ? undefined : { done: box !== " ", text: text.trim() };
}

function textsOf(lines: ReturnType<typeof diffLines>, kind: "added" | "removed"): string[] {
  return lines.flatMap((line) => (line.kind === kind && line.text.trim() !== "" ? [line.text] : []));
}

/** Lines without their bullets and heading marks, as one. */
function short(lines: readonly string[], length = 100): string {
  const bare = lines.map((line) =>
    line.replace(/^\s*(?:[-*+]|#{1,6}|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, "").trim(),
  );
  return oneLine(bare.join(" · "), length);
}

function countLines(text: string): number {
  return text.split("\n").length;
}

function plural(lines: number): string {
  return lines === 1 ? "line" : "lines";
}

type Operation = JournalEntry["operation"];

const bookkeeping = ["session", "messages", "context", "children"];

/** Whether an operation edits memory, as opposed to messages and the controller's bookkeeping. */
export function isMemoryOperation(type: string): boolean {
  return !bookkeeping.includes(type.split(".")[0] ?? "");
}

/** A one-line description of an operation, for the timeline. */
function describeOperation(operation: Operation): string {
  switch (operation.type) {
    case "notes.add":
      return `Added a note: ${brief(operation.content)}`;
    case "notes.update":
      return operation.content === undefined
        ? "Changed a note's tags"
        : `Changed a note: ${brief(operation.content)}`;
    case "notes.delete":
      return "Deleted a note";
    case "scratchpad.refs_add":
      return `Added a reference: ${brief(operation.ref)}`;
    case "scratchpad.refs_remove":
      return `Removed a reference: ${brief(operation.ref)}`;
    case "scratchpad.refs_set":
      return `Set ${operation.items.length} references`;
    case "undo":
      return `Undid revision ${operation.revision}`;
    case "tasks.begin":
      return `Began a task: ${brief(operation.description)}`;
    case "tasks.end":
      return `Ended a task: ${brief(operation.summary)}`;
    case "tasks.cancel":
      return `Cancelled a task: ${brief(operation.reason)}`;
    case "pins.pin":
      return `Pinned: ${brief(operation.text)}`;
    case "pins.unpin":
      return `Unpinned ${operation.id}`;
    case "state.set":
      return `Set the state ${brief(operation.key)}`;
    case "state.delete":
      return `Deleted the state ${brief(operation.key)}`;
    case "skills.save":
    case "tools.save":
      return `Saved the ${operation.type === "skills.save" ? "skill" : "tool"} ${brief(operation.name)}`;
    case "skills.delete":
    case "tools.delete":
      return `Deleted the ${operation.type === "skills.delete" ? "skill" : "tool"} ${brief(operation.name)}`;
    default:
      return describeBookkeeping(operation);
  }
}

function describeBookkeeping(operation: Operation): string {
  switch (operation.type) {
    case "messages.add":
      return operation.messages.map((message) => brief(linesOfMessage(message))).join(" · ");
    case "context.open":
      return "Opened the first epoch";
    case "context.show":
      return "Sent the model the changes in memory";
    case "context.refresh":
      return "Took a new snapshot of memory for the system prompt";
    case "context.tell":
      return "Reported context usage to the agent";
    case "context.warn":
      return "Warned the agent that a compaction is near";
    case "context.skip_warning":
      return `Could not warn the agent: ${brief(operation.reason)}`;
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
        : `Call ${operation.call} lacks text of the receipt: ${brief(operation.lacks.join(" · "))}`;
    case "children.set":
      return operation.child
        ? `Delegated work: ${operation.child.status}`
        : "Left work to the session it was forked from";
    case "session.rename":
      return operation.title === null
        ? "Removed the title"
        : `Renamed the session: ${brief(operation.title)}`;
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

function brief(text: string): string {
  return oneLine(text, 80);
}
