import { diffLines } from "../../engine/diff.ts";
import type { FileChange } from "./write-changes.ts";

/** Lines of context around a change. */
const contextLines = 2;

/** A change as lines that start with "+", "-" or a space, with context. */
export function diffOf({ before, after }: Pick<FileChange, "before" | "after">): string[] {
  const lines = diffLines(text(before), text(after));
  const near = (index: number) =>
    lines
      .slice(Math.max(0, index - contextLines), index + contextLines + 1)
      .some(({ kind }) => kind !== "same");
  const shown: string[] = [];
  let skipped = false;
  for (const [index, { kind, text: line }] of lines.entries()) {
    if (near(index)) {
      if (skipped && shown.length > 0) shown.push("  …");
      shown.push(`${{ same: " ", added: "+", removed: "-" }[kind]} ${line.replace(/\r$/, "")}`);
    }
    skipped = !near(index);
  }
  return shown;
}

/** The change of the file, in one word. */
export function actionOf({ before, after }: Pick<FileChange, "before" | "after">): string {
  if (before === undefined) return after === undefined ? "unchanged" : "create";
  if (after === undefined) return "remove";
  return before.equals(after) ? "unchanged" : "change";
}

function text(bytes: Buffer | undefined): string {
  return (bytes ?? Buffer.alloc(0)).toString("utf8").replace(/^\ufeff/, "");
}
