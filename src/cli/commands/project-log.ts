import { readFileSync } from "node:fs";
import { isObject } from "../../engine/json.ts";
import { normaliseTexts } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { type Answer, projectOperations } from "../../surfaces/project/operations.ts";
import type { Caller } from "../../surfaces/project/project.ts";
import { findCodeSpans } from "../../surfaces/project/verify/references.ts";
import { printJson } from "../terminal/screen.ts";
import type { ProjectArguments } from "./project.ts";

/** What can be logged: the operation for it, and the field that the text argument fills. */
const kinds: Record<string, [operation: string, field: string]> = {
  decision: ["log_decision", "decision"],
  debt: ["log_debt", "description"],
  goal: ["set_goal", "goal"],
  blocker: ["log_blocker", "blocker"],
  ref: ["track_ref", "path"],
  question: ["ask_question", "question"],
  structure: ["log_structure", "topic"],
};

export async function recover(args: ProjectArguments): Promise<number> {
  const [first, ...rest] = args.positionals;
  const level = numberOf(args, "level") ?? 1;
  const query = text(args, "query") ?? (first === undefined ? undefined : [first, ...rest].join(" "));
  return perform(args, "recover_context", { level, ...(query === undefined ? {} : { query }) });
}

export async function log(args: ProjectArguments): Promise<number> {
  const [kind = "", ...rest] = args.positionals;
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!known) {
    throw new HoldfastError(
      "invalid_input",
      `Say what to log: ${Object.keys(kinds).join(", ")} (got ${JSON.stringify(kind)}). Usage: holdfast project log debt "N+1 query in the user list" --severity HIGH`,
    );
  }
  const [operation, field] = known;
  if (args.values.content === "-") args.values.content = readFileSync(0, "utf8");
  const textField = rest.length === 0 ? {} : { [field]: rest.join(" ") };
  return perform(args, operation, { ...textField, ...fieldsOf(args) });
}

export async function handoff(args: ProjectArguments): Promise<number> {
  const summary = args.positionals.join(" ");
  return perform(args, "log_handoff", { ...(summary === "" ? {} : { summary }), ...fieldsOf(args) });
}

export async function archive(args: ProjectArguments): Promise<number> {
  const keep = numberOf(args, "keep");
  return perform(args, "archive", keep === undefined ? {} : { keep });
}

export async function promote(args: ProjectArguments): Promise<number> {
  const [session, ...rest] = args.positionals;
  const id = text(args, "session") ?? session;
  if (id === undefined)
    throw new HoldfastError(
      "invalid_input",
      "SESSION is missing. Usage: holdfast project promote SESSION [TEXT] [--as debt]",
    );
  const finding = rest.join(" ");
  const { openWorkspaceMemory } = await import("../../workspace/open-memory.ts");
  const memory = await openWorkspaceMemory({ flags: { db: text(args, "db"), store: text(args, "store") } });
  try {
    const opened = await memory.resumeSession(id);
    const input = { ...(finding === "" ? {} : { text: finding }), ...fieldsOf(args) };
    return await perform(args, "promote", input, { session: id, notepad: () => opened.notepad.read() });
  } finally {
    await memory.close();
  }
}

/** Runs the operation that agents call as a tool, with the same validation. */
async function perform(
  args: ProjectArguments,
  name: string,
  input: Record<string, unknown>,
  caller: Caller = {},
): Promise<number> {
  const operation = projectOperations.find((each) => each.name === name);
  if (!operation) throw new HoldfastError("unknown_tool", `There is no operation ${name}.`);
  const parsed = operation.input.safeParse(input);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      if (issue.code === "unrecognized_keys")
        return `it does not take ${issue.keys.map((key) => `--${optionOf(key)}`).join(", ")}`;
      const field = String(issue.path[0] ?? "");
      return input[field] === undefined
        ? `--${optionOf(field)} is missing`
        : `--${optionOf(field)}: ${issue.message}`;
    });
    throw new HoldfastError(
      "invalid_input",
      `${name}: ${[...new Set(problems)].join("; ")}. Nothing was changed. Run "holdfast project --help" to see its options.`,
    );
  }
  const who = { agent: text(args, "agent"), session: text(args, "session"), ...caller };
  const answer: Answer = await operation.run(args.project, normaliseTexts(parsed.data), who);
  if (args.json) printJson(answer);
  else console.log(answer.text);
  return 0;
}

/** The option that fills a tool's field. */
function optionOf(field: string): string {
  return field === "scenarios" ? "scenario" : field.replaceAll("_", "-");
}

function text({ values }: ProjectArguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

function numberOf(args: ProjectArguments, name: string): number | undefined {
  const value = text(args, name);
  if (value === undefined || /^\d{1,9}$/.test(value)) return value === undefined ? undefined : Number(value);
  throw new HoldfastError(
    "invalid_input",
    `--${name} must be a whole number (got ${JSON.stringify(value)}).`,
  );
}

/** Collects the options that are fields of an operation's input; `--input` passes them all at once as JSON. */
function fieldsOf(args: ProjectArguments): Record<string, unknown> {
  const { values } = args;
  const fields: Record<string, unknown> = {};
  for (const name of [
    "description",
    "goal",
    "blocker",
    "path",
    "question",
    "summary",
    "decision",
    "rationale",
    "title",
    "timestamp",
    "severity",
    "found-by",
    "sprint",
    "actionable",
    "status",
    "blocked-by",
    "depends-on",
    "kind",
    "eta",
    "resolution",
    "lines",
    "purpose",
    "answer",
    "next",
    "task",
    "as",
    "topic",
    "content",
  ]) {
    if (values[name] !== undefined) fields[name.replaceAll("-", "_")] = values[name];
  }
  if (typeof fields.severity === "string") fields.severity = fields.severity.toUpperCase();
  if (Array.isArray(values.scenario)) fields.scenarios = values.scenario;
  if (Array.isArray(values.evidence)) fields.evidence = values.evidence.map(readEvidence);
  const input = text(args, "input");
  return input === undefined ? fields : { ...readInput(input), ...fields };
}

/** Parses `PATH:LINE QUOTE`, or the form used in NOTES.md: `` `QUOTE` [PATH:LINE] ``. */
function readEvidence(input: string): { quote: string; path: string } {
  const text = input.trim().replace(/^-\s+/, "");
  const [span] = text.startsWith("`") ? findCodeSpans(text) : [];
  const location = span?.from === 0 ? text.slice(span.to).trim() : "";
  if (span && location.length > 2 && location.startsWith("[") && location.endsWith("]"))
    return { quote: span.inside, path: location.slice(1, -1) };
  const [, path, quote] = /^(\S+)\s+(.+)$/s.exec(input.trim()) ?? [];
  if (path !== undefined && quote !== undefined) return { quote, path };
  throw new HoldfastError(
    "invalid_input",
    `--evidence must be a location and a quote from it, such as "src/jwt.ts:52 export function isTokenExpired" (got ${JSON.stringify(input)}).`,
  );
}

function readInput(source: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(
      source.trim().startsWith("{") ? source : readFileSync(source === "-" ? 0 : source, "utf8"),
    );
    if (isObject(parsed)) return parsed;
  } catch (cause) {
    throw new HoldfastError("invalid_input", `--input is not valid JSON: ${(cause as Error).message}.`, {
      cause,
    });
  }
  throw new HoldfastError("invalid_input", "--input must be one JSON object.");
}
