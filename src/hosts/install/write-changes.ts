import { existsSync, readFileSync, rmSync } from "node:fs";
import { diffLines } from "../../engine/diff.ts";
import { HoldfastError } from "../../errors.ts";
import { removeEmpty, replaceFile } from "./config-file.ts";

/** One file before and after the change; undefined is a missing file. */
export interface FileChange {
  host: string;
  path: string;
  before: Buffer | undefined;
  after: Buffer | undefined;
}

export function isChange({ before, after }: Pick<FileChange, "before" | "after">): boolean {
  return before === undefined || after === undefined ? before !== after : !before.equals(after);
}

/** Writes all changes or, if one fails, none. Returns the folders made for each path. */
export function writeChanges(changes: readonly FileChange[], mode: number): Map<string, string[]> {
  const made = new Map<string, string[]>();
  const done: FileChange[] = [];
  for (const change of changes) {
    try {
      checkUnchanged(change);
      made.set(change.path, write(change.path, change.after, mode));
      done.push(change);
    } catch (error) {
      for (const { path, before } of done.toReversed()) {
        write(path, before, mode);
        removeEmpty(made.get(path) ?? []);
      }
      throw new HoldfastError(
        "store_failed",
        `${change.path} could not be written: ${(error as Error).message}. Nothing was changed. Check what blocks it, and run the command again.`,
        { data: { file: change.path }, cause: error },
      );
    }
  }
  return made;
}

/** A host or the user may have written to the file since it was planned. */
function checkUnchanged({ path, before }: FileChange): void {
  const now = existsSync(path) ? readFileSync(path) : undefined;
  if (isChange({ before, after: now })) throw new Error("another program has just changed it");
}

function write(path: string, bytes: Buffer | undefined, mode: number): string[] {
  if (bytes !== undefined) return replaceFile(path, bytes, mode);
  rmSync(path, { force: true });
  return [];
}

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
