import { closestLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { logDebt } from "./edit/debt.ts";
import { askQuestion, logBlocker, setGoal } from "./edit/lists.ts";
import { logHandoff } from "./edit/tables.ts";
import type { Caller, Project } from "./project.ts";

const maxSummaryLength = 600;

/** Copies findings from a session's notepad to NOTES.md and describes what it did. */
export async function promoteFindings(
  project: Project,
  input: { text?: string | undefined; as: "handoff" | "debt" | "goal" | "question" | "blocker" },
  caller: Caller,
): Promise<string> {
  const findings = findingsOf((await caller.notepad?.()) ?? "", input.text);
  if (input.as === "handoff") {
    const all = findings.join("; ");
    const summary =
      all.length > maxSummaryLength
        ? `${all.slice(0, maxSummaryLength).toWellFormed()}… (the rest is in the session)`
        : all;
    const { line } = logHandoff(project, { summary: `Findings: ${summary}` }, caller, "promote");
    return `Promoted ${findings.length} findings to the hand-over log (line ${line}).`;
  }
  const locations: string[] = [];
  for (const finding of findings) {
    if (input.as === "debt") locations.push((await logDebt(project, { description: finding }, caller)).id);
    else if (input.as === "goal") locations.push(`line ${setGoal(project, { goal: finding }).line}`);
    else if (input.as === "blocker") locations.push(`line ${logBlocker(project, { blocker: finding }).line}`);
    else locations.push(`line ${askQuestion(project, { question: finding }).line}`);
  }
  return `Promoted ${findings.length} findings as ${input.as}: ${locations.join(", ")}.`;
}

/** The selected lines (default: all) without bullets, headings and empty lines. */
function findingsOf(notepad: string, selected: string | undefined): string[] {
  const lines = (text: string) =>
    text
      .split(/\r?\n/)
      .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, "").trim())
      .filter((line) => line !== "" && !/^#{1,6}\s/.test(line));
  const source = selected ?? notepad;
  if (selected !== undefined && !notepad.includes(selected.trim())) {
    const close = closestLine(notepad, selected);
    throw new HoldfastError(
      "text_not_found",
      `The notepad does not contain ${JSON.stringify(selected.slice(0, 80))}.${close ? ` The closest line is ${JSON.stringify(close.line.slice(0, 120))}.` : ""} Nothing was changed.`,
    );
  }
  const found = lines(source);
  if (found.length > 0) return found;
  throw new HoldfastError(
    "not_found",
    "The session's notepad is empty, so there is nothing to promote. Write findings there first.",
  );
}
