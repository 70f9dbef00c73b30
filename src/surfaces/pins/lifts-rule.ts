import { oneLine } from "../../engine/text.ts";
import type { RulePin } from "./refuse-call.ts";
import { readCommands, type ShellCommand, type ShellWord } from "./shell-words.ts";

/** A person's rule, and the session it belongs to. */
interface Guarded {
  pin: RulePin;
  session: string;
}

/** Our program: by its name, a path, a package with a version, or the file that it is. */
const program = /(?:holdfast(?:@[\w.~-]*)?(?:\.(?:cmd|ps1|exe|m?js))?|cli\.[cm]?[jt]s)$/i;

/** Whether a text may start our program at all. */
const mention = /holdfast|cli\.[cm]?[jt]s/i;

const assignment = /^(?:\$env:)?\w+=/;

/** Scripts in scripts, as in `sh -c "sh -c '…'"`, that are read. */
const maxDepth = 5;

/** More arguments than any of our commands takes. */
const maxArguments = 30;

/** The subcommands that end or change a rule: whether one does, with these arguments. */
const lifting: Record<string, (args: readonly ShellWord[], guarded: Guarded) => boolean> = {
  unpin: (args, { pin }) =>
    positionals(args).length === 0 || args.some((arg) => arg.isOpen || arg.text.trim() === pin.id),
  pin: (args, { pin }) =>
    args.some(({ text, isOpen }) => isOpen || /^--(?:tool|pattern)(?:=|$)/.test(text)) &&
    args.some(({ text, isOpen }) => isOpen || text.trim() === pin.id || oneLine(text) === oneLine(pin.text)),
  purge: (args, { session }) => args.some(({ text, isOpen }) => isOpen || text === session),
  redact: (args, { pin: { text, rule } }) =>
    args.some((arg) => arg.isOpen || /^--pattern(?:=|$)/.test(arg.text)) ||
    positionals(args).some((arg) =>
      `${text}\n${rule.tool}\n${rule.pattern}`.toLowerCase().includes(arg.toLowerCase()),
    ),
  gc: (args) => {
    const has = (option: RegExp) => args.some(({ text }) => option.test(text));
    return has(/^--yes$/) && has(/^--(?:keep|max-size|older-than)(?:=|$)/) && !has(/^--dry-run$/);
  },
  // Typed into "holdfast chat".
  "/unpin": (args, { pin }) => args.some((arg) => arg.isOpen || arg.text.trim() === pin.id),
};

function positionals(args: readonly ShellWord[]): string[] {
  return args.flatMap(({ text }) => (text.startsWith("-") ? [] : [text]));
}

/**
 * Whether a shell command runs one of our commands that lifts, replaces or removes a person's rule, however it is
 * spelled. If it cannot be told which of our commands runs, because a variable names it, the answer is yes.
 */
export function liftsRule(command: string, guarded: Guarded): boolean {
  const script = resolveVariables(command);
  const isMentioned = mention.test(script.replaceAll(/['"\\^]/g, ""));
  return isMentioned || script.includes("unpin") ? runsLift(script, { ...guarded, isMentioned }, 0) : false;
}

type Search = Guarded & { isMentioned: boolean };

function runsLift(script: string, search: Search, depth: number): boolean {
  if (depth > maxDepth) return search.isMentioned;
  const commands = readCommands(script);
  const running = runningIn(commands);
  return commands.some((command) => {
    const { words, inputs } = command;
    return running.has(command)
      ? isLift(words, search, depth) || inputs.some(({ text }) => isLiftScript(text, search, depth))
      : [...words, ...inputs].some((word) => isLiftInside(word, search, depth));
  });
}

/** Whether the words of a command that is run lift the rule. */
function isLift(words: readonly ShellWord[], search: Search, depth: number): boolean {
  // Another word may be a folder or a package of the same name.
  const programs = words.flatMap(({ text }, index) =>
    program.test(text) && !assignment.test(text) ? [index] : [],
  );
  const before = words.slice(0, programs[0] ?? words.length);
  if (before.some(({ text }) => /\s/.test(text) && isLiftScript(text, search, depth))) return true;
  if (programs.length === 0) return isLiftByOtherName(words, search);
  const isFed = before.some(({ text }) => /^(?:xargs|parallel)$/.test(nameOf(text)));
  return programs.slice(0, maxArguments).some((at) => {
    const args = words.slice(at + 1).map((word) => (isFed ? { ...word, isOpen: true } : word));
    return isOwnLift(args, isFed, search, depth);
  });
}

/** Whether our program, with these arguments, lifts the rule. */
function isOwnLift(args: readonly ShellWord[], isFed: boolean, search: Search, depth: number): boolean {
  const at = args.findIndex(({ text, isOpen }) => isOpen || !(text.startsWith("-") || program.test(text)));
  const [name, ...rest] = at === -1 ? [] : args.slice(at);
  if (!name) return isFed;
  if (args.some(({ text }) => text === "--help" || text === "-h")) return false;
  if (Object.hasOwn(lifting, name.text)) return lifting[name.text]?.(rest, search) ?? false;
  if (name.isOpen) return true;
  // What follows another of our commands is text, but a chat takes commands.
  const isText = /^[a-z][a-z-]*$/.test(name.text) && name.text !== "chat";
  return args.some((word) =>
    isText
      ? isLiftInside(word, search, depth)
      : /\s/.test(word.text) && isLiftScript(word.text, search, depth),
  );
}

/** Our program may have another name here: an alias, a function, a link, a variable, the output of `which`. */
function isLiftByOtherName(words: readonly ShellWord[], search: Search): boolean {
  return words.some(({ text }, index) => {
    const isKnown = search.isMentioned || text === "/unpin" || words[index - 1]?.isOpen === true;
    return (
      isKnown &&
      Object.hasOwn(lifting, text) &&
      lifting[text]?.(words.slice(index + 1, index + maxArguments), search) === true
    );
  });
}

/** Reads a text that some program runs: as a script, and as code that names the words of a command one by one. */
function isLiftScript(text: string, search: Search, depth: number): boolean {
  if (runsLift(text, search, depth + 1)) return true;
  const loose = readCommands(text.replaceAll(/\\[nrt]/g, "\n").replaceAll(/["'`,[\](){}\\]+/g, " "));
  const running = runningIn(loose);
  return loose.some((command) => running.has(command) && isLift(command.words, search, maxDepth));
}

/** The text of a command that prints or stores it; what a shell puts into it is run all the same. */
function isLiftInside({ text, isOpen }: ShellWord, search: Search, depth: number): boolean {
  return isOpen && substitutionsIn(text).some((script) => runsLift(script, search, depth + 1));
}

function substitutionsIn(text: string): string[] {
  const quoted = text.split("`").filter((_, index) => index % 2 === 1);
  return [...quoted, ...text.split("$(").slice(1).map(upToParenthesis)];
}

/** The text up to the parenthesis that closes it. */
function upToParenthesis(text: string): string {
  let depth = 1;
  for (const { 0: char, index } of text.matchAll(/[()]/g)) {
    depth += char === "(" ? 1 : -1;
    if (depth === 0) return text.slice(0, index);
  }
  return text;
}

/** Programs that do not run what they are given, and the subcommands for which that is so. */
const inert: Record<string, RegExp> = {
  git: /^(?:add|blame|commit|diff|grep|log|notes|show|stash|status|tag)$/,
  gh: /^(?:api|issue|pr|release|search)$/,
};
const inertPrograms =
  /^(?:echo|printf|e?grep|fgrep|rg|ag|ack|cat|tee|ls|head|tail|wc|cut|sort|uniq|tr|jq|diff|less|man|cd|mkdir|touch|cp|mv|rm|chmod|test|\[|true|:|apply_patch|write-(?:output|host)|get-content|select-string)$/;
const shells = /^(?:\.|source|exec|(?:ba|z|da|k|fi|a)?sh|pwsh|powershell|cmd)(?:\.exe)?$/;

/** The commands that run what they are given, themselves or in the command or file that their output goes to. */
function runningIn(commands: readonly ShellCommand[]): Set<ShellCommand> {
  const running = new Set<ShellCommand>();
  const started = new Set(commands.flatMap(startedBy));
  let next: ShellCommand | undefined;
  for (const command of commands.toReversed()) {
    const isPassedOn =
      (command.isPiped && next !== undefined && running.has(next)) ||
      (command.feeds !== undefined && !isInert(command.feeds)) ||
      command.files.some((file) => started.has(nameOf(file)));
    if (isPassedOn || !isInert(command)) running.add(command);
    next = command;
  }
  return running;
}

function isInert({ words }: ShellCommand): boolean {
  const [head, next] = words.filter(({ text }) => !assignment.test(text));
  if (!head || head.isOpen) return !head;
  const name = nameOf(head.text).toLowerCase();
  return (
    inertPrograms.test(name) || (Object.hasOwn(inert, name) && inert[name]?.test(next?.text ?? "") === true)
  );
}

/** The names of files that a command may start, itself or with a shell. */
function startedBy({ words }: ShellCommand): string[] {
  const [head = "", ...rest] = words.map(({ text }) => nameOf(text));
  return shells.test(head) ? rest : [head];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const assigned =
  /(?:^|[\s;&|("'])(?:\$(?:env:)?)?([A-Za-z_]\w{0,99}) ?= ?("[^"]{0,100}"|'[^']{0,100}'|[^\s;&|)"']{1,100})/g;
const variable = /\$\{?(?:env:)?([A-Za-z_]\w{0,99})\}?|%([A-Za-z_]\w{0,99})%/g;

/** Room for the values of variables, in characters. */
const maxGrowth = 100_000;

/** The script with the values of variables that it sets itself, once each. Variables may be made of others. */
function resolveVariables(script: string): string {
  const values = new Map<string, string | undefined>();
  for (const [, name = "", value = ""] of script.matchAll(assigned))
    values.set(name, values.has(name) ? undefined : value.replaceAll(/["']/g, ""));
  if (values.size === 0) return script;
  let text = script;
  let room = maxGrowth;
  for (let round = 0; round < 3; round++)
    text = text.replaceAll(variable, (whole, name: string | undefined, other: string | undefined) => {
      const value = values.get(name ?? other ?? "");
      room -= value?.length ?? 0;
      return value === undefined || room < 0 ? whole : value;
    });
  return text;
}
