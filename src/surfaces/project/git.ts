import { execFileSync } from "node:child_process";
import type { NotesFile } from "./file.ts";

/** Runs git without a shell; undefined if git fails, is not installed, or there is no repository. */
function git(file: NotesFile, args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", ["-C", file.root, "-c", "core.quotePath=false", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 20_000_000,
      timeout: 10_000,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" },
    });
  } catch {
    return undefined;
  }
}

/** The file's text in `HEAD`, or the reason why there is none. */
export function committedNotes(file: NotesFile): { text: string } | { none: string } {
  if (git(file, ["rev-parse", "--is-inside-work-tree"])?.trim() !== "true")
    return { none: "there is no git repository here" };
  const text = git(file, ["show", `HEAD:./${file.name}`]);
  return text === undefined ? { none: `${file.name} has not been committed yet` } : { text };
}

/** Whether git ignores the file. */
export function isIgnored(file: NotesFile): boolean {
  return git(file, ["check-ignore", "-q", file.name]) !== undefined;
}
