import { diffLines } from "../engine/diff.ts";
import { readText, revertChanges, type State, type TextTarget } from "../engine/state.ts";
import { oneLine } from "../engine/text.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { describeOperation } from "./describe-operation.ts";

const names: Partial<Record<TextTarget, string>> = {
  notepad: "the notepad",
  "space/plan": "the plan",
  "space/notes": "the scratchpad's notes",
};

/** Longer texts are not compared line by line for a sentence. */
const maxCompared = 40_000;

/** An entry in a sentence, by what it did to the text. `after` is the state right after it. */
export function describeEntry(entry: JournalEntry, after: State): string {
  const change = entry.changes.find(({ type }) => type === "text");
  const name = change?.type === "text" ? names[change.target] : undefined;
  if (change?.type !== "text" || name === undefined || entry.operation.type === "undo")
    return describeOperation(entry.operation);
  const before = readText(revertChanges(after, entry.changes), change.target);
  const now = readText(after, change.target);
  if (before.length + now.length > maxCompared) return describeOperation(entry.operation);
  return describeText(before, now, name) ?? describeOperation(entry.operation);
}

function describeText(before: string, after: string, name: string): string | undefined {
  if (after === "") return `Cleared ${name}`;
  const lines = diffLines(before, after);
  const [added, removed] = [textsOf(lines, "added"), textsOf(lines, "removed")];
  const toggled = describeToggles(added, removed);
  if (toggled !== undefined) return toggled;
  if (added.length === 0 && removed.length === 0) return undefined;
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

function plural(lines: number): string {
  return lines === 1 ? "line" : "lines";
}
