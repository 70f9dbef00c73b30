import { execFileSync } from "node:child_process";
import type { NotesFile } from "../notes-md/file.ts";

/** Runs git without a shell; undefined when there is no git, no repository or no such thing. */
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

/** How many commits of the file are looked at. A pull request has fewer, and lint stays quick. */
const mostCommits = 20;

/** The file as it is in `HEAD`, and as it was in the commits before; why there is none otherwise. */
export function committedNotes(file: NotesFile): { text: string; earlier: string[] } | { none: string } {
  if (gitText(file, ["rev-parse", "--is-inside-work-tree"])?.trim() !== "true")
    return { none: "there is no git repository here" };
  const name = committedName(file);
  const text = gitText(file, ["show", `HEAD:./${name}`]);
  if (text === undefined) return { none: `${file.name} has not been committed yet` };
  return { text, earlier: earlierTexts(file, name) };
}

/** The name that `HEAD` knows the file by: another one while it is being moved. */
function committedName(file: NotesFile): string {
  if (git(file, ["cat-file", "-e", `HEAD:./${file.name}`])) return file.name;
  const moved = gitText(file, ["diff", "HEAD", "--relative", "-M", "--name-status", "--diff-filter=R", "-z"]);
  const [, ...names] = (moved ?? "").split("\u0000");
  const at = names.indexOf(file.name);
  return names[at - 1] ?? file.name;
}

/** What the newest commits made of the file, under the name it had then. */
function earlierTexts(file: NotesFile, name: string): string[] {
  const format = ["--format=commit %H", "--name-only"];
  const log = gitText(file, ["log", `--max-count=${mostCommits + 1}`, "--follow", ...format, "--", name]);
  const wanted = Array.from(
    (log ?? "").matchAll(/^commit ([0-9a-f]{40,64})\n\n(.+)$/gm),
    ([, commit, path]) => `${commit}:${path}\n`,
  );
  const answer = git(file, ["cat-file", "--batch"], wanted.slice(1).join("")) ?? Buffer.alloc(0);
  return readBatch(answer);
}

/** Each object comes with a line before it that says how many bytes it has. */
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

/** The commit that is checked out; "" without one. */
export function gitHead(file: NotesFile): string {
  return gitText(file, ["rev-parse", "--verify", "-q", "HEAD"])?.trim() ?? "";
}

/** Every line of the file's past, since a commit that is known, that names a debt id. */
export function gitHistoryIds(file: NotesFile, since: string): string {
  const log = (range: string[]) =>
    gitText(file, ["log", ...range, "-p", "-U0", "--no-color", "--no-ext-diff", "--follow", "--", file.name]);
  const past = (since === "" ? undefined : log([`${since}..HEAD`])) ?? log([]) ?? "";
  return past
    .split("\n")
    .filter((line) => line.startsWith("+") && line.includes("TD-"))
    .join("\n");
}

/** Whether git would leave the file out. */
export function isIgnored(file: NotesFile): boolean {
  return git(file, ["check-ignore", "-q", file.name]) !== undefined;
}
