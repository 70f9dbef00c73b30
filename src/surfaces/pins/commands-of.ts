import { isObject } from "../../engine/json.ts";

/** Names of tools that run commands, in the hosts and in MCP servers: Bash, exec_command, run_in_terminal, write_stdin. */
const runsCommands =
  /(?:^|[^a-z])(?:bash|sh|zsh|shell|exec|execute|execution|terminal|commands?|powershell|pwsh|cmd|process|pty|stdin|console|monitor|repl|eval|python)(?:[^a-z]|$)/;

/** What a tool of another name calls a command. */
const commandField = /^(?:commands?|cmd|script|argv)$/i;

/** Fields of a shell tool that are not run. */
const plainField =
  /^(?:description|justification|reason|explanation|cwd|workdir|work(?:ing)?_?dir(?:ectory)?)$/i;

/** Longer than a shell takes. */
const maxCommand = 200_000;

/** The commands that a call runs; none if it runs none, such as one that reads, writes or searches files. */
export function commandsOf(tool: string, input: unknown): string[] {
  const name = tool.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
  const isShell = runsCommands.test(name);
  if (typeof input === "string") return isShell ? [input.slice(0, maxCommand)] : [];
  if (!isObject(input)) return [];
  const isRun = (field: string) => (isShell ? !plainField.test(field) : commandField.test(field));
  return Object.entries(input)
    .slice(0, 100)
    .flatMap(([field, value]) => (isRun(field) ? textsOf(field, value, input) : []))
    .filter((text) => !text.startsWith("*** Begin Patch"))
    .map((text) => text.slice(0, maxCommand));
}

function textsOf(field: string, value: unknown, input: Record<string, unknown>): string[] {
  if (typeof value === "string") return [`${value}${argumentsIn(input)}`];
  if (isObject(value)) return Object.entries(value).flatMap(([key, each]) => textsOf(key, each, value));
  const words = wordsIn(value);
  return field.toLowerCase() === "commands" ? words : [quoted(words)];
}

/** A program may be given apart from its arguments. */
function argumentsIn({ args, arguments: more }: Record<string, unknown>): string {
  const words = [...wordsIn(args), ...wordsIn(more)];
  return words.length === 0 ? "" : ` ${quoted(words)}`;
}

function wordsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((word) => typeof word === "string").slice(0, 1_000) : [];
}

/** A list of words as a shell would be given it. */
function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}
