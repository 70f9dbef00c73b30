import type { StoredMessage } from "../../context/conversation.ts";
import type { CommandFact } from "../../engine/records.ts";
import { oneLine } from "../../engine/text.ts";
import { commandIn } from "./call-input.ts";
import { callsIn, type MadeCall } from "./calls.ts";

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
  let call = now;
  for (const made of callsIn(messages)) {
    if (made.isAside) continue;
    call++;
    const { result } = made;
    const { line, isCommand } = commandLine(made);
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
  return [...commands.values()].sort((a, b) => b.last - a.last).slice(0, maxCommands);
}

/** A command, or the tool and the file of another call. */
function commandLine({ tool, fields, paths }: MadeCall): { line: string; isCommand: boolean } {
  const command = commandIn(fields, paths);
  if (command !== undefined) return { line: command.trim(), isCommand: true };
  const [path = ""] = paths;
  return { line: path === "" ? tool || "a tool" : `${tool || "a tool"} ${path}`, isCommand: false };
}

const exitCode = /\bexit(?:ed)?(?: with)?[ _]?(?:code|status)?"?\s?[:=]?\s?([1-9]\d{0,2})\b/i;

/** What a host or a tool says about the end of a command, alone in a line: "exit code: 1", "Process exited with code 2". */
const reportedExit =
  /^\W*(?:(?:the )?(?:process|command) )?(?:exit|exited with|exited|finished with)[ _]?(?:code|status)\b"?\s?[:=]?\s?([1-9]\d{0,2})\W*$/i;

/** The same as a field of a result in JSON. */
const exitField = /"exit_?(?:code|status)"\s*:\s*([1-9]\d{0,2})\b/i;

/**
 * The exit code of a command that failed. Without a flag of the host it is believed only where a tool would write it: what
 * a command printed may be about other exit codes.
 */
function exitOf(text: string, isError: boolean): string | undefined {
  if (!text.includes("xit")) return undefined;
  if (isError) return exitCode.exec(text)?.[1];
  const lines = text.trim().split("\n");
  const ends = lines.length > 4 ? [...lines.slice(0, 2), ...lines.slice(-2)] : lines;
  const reported = ends.map((line) => reportedExit.exec(line)?.[1]).find((code) => code !== undefined);
  return reported ?? (/^\s*\{/.test(text) ? exitField.exec(text)?.[1] : undefined);
}

/** The user or the host did not let it run. That is no failure of the command. */
const refused =
  /(?:user|you) (?:doesn't want|does not want|declined|denied|rejected|chose not)|tool use was rejected|requires? approval|requested permissions?|permission to use|\[Request interrupted|was blocked\b|hook (?:denied|blocked)/i;

/** 1 is their answer: nothing found, or a difference; an error is 2. */
const answering = new Set("grep egrep fgrep zgrep rg ag ack diff cmp test [ [[ pgrep".split(" "));

/** These end with 1 both when they find nothing and when they fail, and then they say why. */
const searching = new Set("which command type find fd xargs".split(" "));

/** What may contain a `|`, `;` or `&` that joins no commands: quoted text, escapes, and `2>&1`. */
const noJoint = /'[^']*'|"(?:\\.|[^"\\])*"|\\.|\d?>&\d|&>/gs;

/** The program that is run last, after any `cd x &&`, `sudo`, variables and `xargs`. */
function lastProgram(line: string): string {
  const parts = line.replaceAll(noJoint, "_").split(/[|;&\n]/);
  const words = (parts.findLast((part) => part.trim() !== "") ?? "").trim().split(/\s+/);
  if (words.at(-1) === "]]") return "test";
  const program = words.find((word) => !/^(?:\w+=.*|sudo|git|xargs|-.*)$/.test(word));
  return program ?? words[0] ?? "";
}

/** Why a call failed: "exit 2: error TS2345 …"; undefined if it did not. */
function failureOf(line: string, isCommand: boolean, text: string, isError: boolean): string | undefined {
  // The content of a file may mention exit codes, too.
  const exit = isCommand ? exitOf(text, isError) : undefined;
  if (!isError && exit === undefined) return undefined;
  if (exit === undefined && refused.test(text.slice(0, 600))) return undefined;
  const detail = firstError(text);
  // xargs ends with 123 if one of its runs ended with 1.
  if (isCommand && (exit === "1" || exit === "123")) {
    const program = lastProgram(line);
    if (answering.has(program) || (detail === "" && searching.has(program))) return undefined;
  }
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

/** Programs that build, test, run or deploy: typed again and again. */
const routine = new Set(
  "npm pnpm yarn bun npx node tsx deno make cmake ninja cargo go pytest python python3 pip pip3 uv poetry tox ruff mypy tsc eslint biome jest vitest mocha gradle gradlew mvn dotnet docker podman kubectl helm terraform bundle rake rails composer php swift xcodebuild flutter mix sbt bazel just task wrangler vercel fly gh glab aws gcloud az ssh scp rsync systemctl service".split(
    " ",
  ),
);

/** The words of a command that may be programs. */
const programs = /(?<=^|[\s;&|(/])\w+/g;

const routineGit = /(?:^|[\s;&|(/])git (?:push|pull|rebase|merge|commit|worktree)\b/;

/** A set of names is ready at once; a pattern of them has to be compiled first. */
function isRoutine(line: string): boolean {
  const words: readonly string[] = line.match(programs) ?? [];
  if (words.some((word) => routine.has(word) || word.startsWith("ansible"))) return true;
  return words.includes("git") && routineGit.test(line);
}

/** Longer ones are scripts, written for one use. */
const maxTyped = 400;

/** How likely a command is typed again, as a weight; 0 for one that was written for one use. `calls`: tool calls so far. */
export function commandWorth({ line, isCommand, runs, last, failure }: CommandFact, calls: number): number {
  if (!isCommand || line.length > maxTyped || line.includes("<<")) return 0;
  const uses = (isRoutine(line) ? 1 : 0) + Math.min(runs - 1, 8) / 2 + (failure === "" ? 0 : 0.5);
  return uses * freshness(last, calls);
}

/** 1 for now, falling to a third after thirty calls. */
export function freshness(last: number, calls: number): number {
  return Math.exp(-(calls - last) / 30);
}

/** A line end of a command that is shown in one line: without it, `cd web` and `npm test` would be one command. */
const lineEnd = "⏎";

export function withLineEnds(command: string): string {
  const lines = command.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(` ${lineEnd} `);
}

/** The line ends of the commands in a text, as they were typed. */
export function typedLineEnds(text: string): string {
  return text.replaceAll(` ${lineEnd} `, "\n");
}
