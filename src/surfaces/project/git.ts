import { execFileSync } from "node:child_process";
import type { NotesFile } from "./file.ts";

/** Runs git without a shell; undefined if git fails, is not installed, or there is no repository. */
function git(file: NotesFile, args: readonly string[], input = ""): Buffer | undefined {
  try {
    return execFileSync("git", ["-C", file.root, "-c", "core.quotePath=false", ...args], {
      input,
      stdio: ["pipe", "pipe", "ignore"],
      maxBuffer: 200_000_000,
      timeout: 10_000,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" },
    });
  } catch {
    return undefined;
  }
}

function gitText(file: NotesFile, args: readonly string[]): string | undefined {
  return git(file, args)?.toString("utf8");
}

/** How many commits of the file to check: more than a typical pull request has, few enough to keep lint fast. */
const maxCommits = 20;

/** The file in `HEAD` and in earlier commits, or the reason why there is none. */
export function committedNotes(file: NotesFile): { text: string; earlier: string[] } | { none: string } {
  if (gitText(file, ["rev-parse", "--is-inside-work-tree"])?.trim() !== "true")
    return { none: "there is no git repository here" };
  const name = committedName(file);
  const text = gitText(file, ["show", `HEAD:./${name}`]);
  if (text === undefined) return { none: `${file.name} has not been committed yet` };
  return { text, earlier: earlierTexts(file, name) };
}

/** The file's name in `HEAD`, which differs after an uncommitted move. */
function committedName(file: NotesFile): string {
  if (git(file, ["cat-file", "-e", `HEAD:./${file.name}`])) return file.name;
  const moved = gitText(file, ["diff", "HEAD", "--relative", "-M", "--name-status", "--diff-filter=R", "-z"]);
  const [, ...names] = (moved ?? "").split("\u0000");
  const at = names.indexOf(file.name);
  return names[at - 1] ?? file.name;
}

/** The file's text in recent commits, following renames. */
function earlierTexts(file: NotesFile, name: string): string[] {
  const format = ["--format=commit %H", "--name-only"];
  const log = gitText(file, ["log", `--max-count=${maxCommits + 1}`, "--follow", ...format, "--", name]);
  const objects = Array.from(
    (log ?? "").matchAll(/^commit ([0-9a-f]{40,64})\n\n(.+)$/gm),
    ([, commit, path]) => `${commit}:${path}\n`,
  );
  const answer = git(file, ["cat-file", "--batch"], objects.slice(1).join("")) ?? Buffer.alloc(0);
  return readBatch(answer);
}

/** A line with its size in bytes precedes each object. */
function readBatch(answer: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf(10, at);
    if (end === -1) break;
    const [, size] = / blob (\d+)$/.exec(answer.toString("utf8", at, end)) ?? [];
    at = end + 1;
    if (size === undefined) continue;
    texts.push(answer.toString("utf8", at, at + Number(size)));
    at += Number(size) + 1;
  }
  return texts;
}

/** The checked-out commit; "" if there is none. */
export function gitHead(file: NotesFile): string {
  return gitText(file, ["rev-parse", "--verify", "-q", "HEAD"])?.trim() ?? "";
}

/** All lines with a debt id in the file's history since a commit. */
export function gitHistoryIds(file: NotesFile, since: string): string {
  const log = (range: string[]) =>
    gitText(file, ["log", ...range, "-p", "-U0", "--no-color", "--no-ext-diff", "--follow", "--", file.name]);
  const past = (since === "" ? undefined : log([`${since}..HEAD`])) ?? log([]) ?? "";
  return past
    .split("\n")
    .filter((line) => line.startsWith("+") && line.includes("TD-"))
    .join("\n");
}

/** Whether git ignores the file. */
export function isIgnored(file: NotesFile): boolean {
  return git(file, ["check-ignore", "-q", file.name]) !== undefined;
}
