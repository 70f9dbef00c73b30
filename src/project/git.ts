import { execFileSync } from "node:child_process";
import type { NotesFile } from "./notes-file.ts";

/** Runs git without a shell; undefined when there is no git, no repository or no such thing. */
function git(file: NotesFile, args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", ["-C", file.root, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 200_000_000,
      timeout: 10_000,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" },
    });
  } catch {
    return undefined;
  }
}

/** The file as it was committed last; why there is none otherwise. */
export function committedNotes(file: NotesFile): { text: string } | { none: string } {
  if (git(file, ["rev-parse", "--is-inside-work-tree"])?.trim() !== "true")
    return { none: "there is no git repository here" };
  const text = git(file, ["show", `HEAD:./${file.name}`]);
  return text === undefined ? { none: `${file.name} has not been committed yet` } : { text };
}

/** Every line of the file's past that names a debt id. */
export function gitHistoryIds(file: NotesFile): string {
  const past = git(file, ["log", "-p", "--unified=0", "--no-color", "--no-ext-diff", "--", file.name]) ?? "";
  return past
    .split("\n")
    .filter((line) => line.startsWith("+") && line.includes("TD-"))
    .join("\n");
}

/** Whether git would leave the file out. */
export function isIgnored(file: NotesFile): boolean {
  return git(file, ["check-ignore", "-q", file.name]) !== undefined;
}
