import { type StoredMessage, type ToolCall, toolCallsOf } from "../../context/conversation.ts";
import type { CommandFact } from "../../engine/records.ts";
import { oneLine } from "../../engine/text.ts";
import { commandIn, fieldsOf, pathsIn } from "./call-input.ts";
import { resultsIn } from "./results.ts";

/** Max commands that a checkpoint remembers. */
const maxCommands = 80;

/** Longer commands are scripts; the file they write or their first line says what they do. */
const maxLength = 2_000;

/** The outcome of each command's last run, the one run last first. `now` counts tool calls. */
export function commandOutcomes(
  messages: readonly StoredMessage[],
  earlier: readonly CommandFact[] = [],
  now = 0,
): CommandFact[] {
  const commands = new Map(earlier.map((command) => [command.line, command]));
  const { byCall } = resultsIn(messages);
  let call = now;
  for (const stored of messages) {
    if (stored.aside) continue;
    for (const made of toolCallsOf(stored)) {
      call++;
      const { line, isCommand } = commandLine(made);
      const result = byCall.get(made.id);
      if (line.length > maxLength || (!result && !isCommand)) continue;
      const failure = result && failureOf(line, isCommand, result.text, result.isError);
      const before = commands.get(line);
      if (!isCommand && failure === undefined && before === undefined) continue;
      commands.delete(line);
      commands.set(line, {
        line,
        runs: (before?.runs ?? 0) + 1,
        failure: failure ?? "",
        isCommand,
        last: call,
      });
    }
  }
  return [...commands.values()].sort((a, b) => b.last - a.last).slice(0, maxCommands);
}

/** A command, or the tool and the file of another call. */
function commandLine({ tool, input }: ToolCall): { line: string; isCommand: boolean } {
  const fields = fieldsOf(input);
  const command = commandIn(fields);
  if (command !== undefined) return { line: command.trim(), isCommand: true };
  return { line: [tool || "a tool", pathsIn(fields)[0]].filter(Boolean).join(" "), isCommand: false };
}

const exitCode = /\bexit(?:ed)?(?: with)?[ _]?(?:code|status)?"?\s?[:=]?\s?([1-9]\d{0,2})\b/i;

/** These end with 1 when they find nothing, or a difference. */
const searching =
  /(?:^|[|;&]\s*|\bxargs\s+)(?:\w+=[^\s|;&]+\s+)*(?:sudo\s+)?(?:git\s+)?(?:e?grep|fgrep|rg|ag|ack|diff|cmp|test|\[|which|command|type|pgrep|find|fd)\b[^|;&]*$/;

/** Why a call failed: "exit 2: error TS2345 …"; undefined if it did not. */
function failureOf(line: string, isCommand: boolean, text: string, isError: boolean): string | undefined {
  // Only look for an exit code in command output, not in the content of a file.
  const exit = isCommand && text.includes("xit") ? exitCode.exec(text)?.[1] : undefined;
  if (!isError && exit === undefined) return undefined;
  const detail = firstError(text);
  if (isCommand && exit === "1" && detail === "" && searching.test(line)) return undefined;
  const code = exit === undefined ? "" : `exit ${exit}`;
  return [code, detail].filter((part) => part !== "").join(": ") || "failed";
}

const errorLine =
  /\b(?:error|err!|exception|fatal|fail(?:ed|ure|ing)?|cannot|can't|denied|not found|no such|undefined|invalid|panic|traceback|refused|unexpected)\b/i;

/** Colours of a terminal, and tags that a host puts around an error. */
const decoration = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m|</?[a-z][\\w-]*>`, "g");

/** The first line that names an error, or the first line. */
function firstError(text: string): string {
  let first = "";
  for (const shown of text.slice(0, 20_000).split("\n")) {
    const line = undecorated(shown);
    if (line === "" || /^[[{]/.test(line) || exitLine.test(line)) continue;
    if (errorLine.test(line)) return oneLine(line, 140);
    if (first === "") first = line;
  }
  return oneLine(first, 140);
}

/** A line that says no more than the exit code. */
const exitLine = /^\W*(?:process |command )?exit(?:ed)?\b.{0,24}\d\W*$/i;

function undecorated(line: string): string {
  const isPlain = !line.includes("<") && !line.includes("\u001b");
  return (isPlain ? line : line.replaceAll(decoration, "")).replace(/^[\w-]+ failed: /, "").trim();
}

/** Builds, tests, runs, deploys: typed again and again. */
const routine =
  /(?:^|[\s;&|(/])(?:npm|pnpm|yarn|bun|npx|node|tsx|deno|make|cmake|ninja|cargo|go|pytest|python3?|pip3?|uv|poetry|tox|ruff|mypy|tsc|eslint|biome|jest|vitest|mocha|gradlew?|mvn|dotnet|docker|docker-compose|podman|kubectl|helm|terraform|ansible\S*|bundle|rake|rails|composer|php|swift|xcodebuild|flutter|mix|sbt|bazel|just|task|wrangler|vercel|fly|gh|glab|aws|gcloud|az|ssh|scp|rsync|systemctl|service|git (?:push|pull|rebase|merge|commit|worktree))\b/;

/** Longer ones are scripts, written for one use. */
const maxTyped = 400;

/** How likely a command is typed again, as a weight; 0 for one that was written for one use. `calls`: tool calls so far. */
export function commandWorth({ line, isCommand, runs, last, failure }: CommandFact, calls: number): number {
  if (!isCommand || line.length > maxTyped || line.includes("<<")) return 0;
  const uses = (routine.test(line) ? 1 : 0) + Math.min(runs - 1, 8) / 2 + (failure === "" ? 0 : 0.5);
  return uses * freshness(last, calls);
}

/** 1 for now, falling to a third after thirty calls. */
export function freshness(last: number, calls: number): number {
  return Math.exp(-(calls - last) / 30);
}
