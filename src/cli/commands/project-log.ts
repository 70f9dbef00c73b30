import { readFileSync } from "node:fs";
import { isObject } from "../../engine/json.ts";
import { normaliseTexts } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { type Answer, entryKinds } from "../../surfaces/project/entries.ts";
import { findCodeSpans } from "../../surfaces/project/references.ts";
import { projectOperations } from "../../surfaces/project/surface.ts";
import { printJson } from "../terminal/screen.ts";
import type { ProjectArguments } from "./project.ts";

export async function recover(args: ProjectArguments): Promise<number> {
  const [first, ...rest] = args.positionals;
  const level = Number(text(args, "level") ?? 1);
  const query = text(args, "query") ?? (first === undefined ? undefined : [first, ...rest].join(" "));
  return perform(args, "recover_context", { level, ...(query === undefined ? {} : { query }) });
}

const fields = ["title", "rationale", "detail", "done", "severity", "actionable", "next", "task"];

export async function log(args: ProjectArguments): Promise<number> {
  const [kind = "", ...rest] = args.positionals;
  const kinds = ["decision", ...entryKinds.filter((each) => each !== "archive")];
  if (!kinds.includes(kind)) {
    throw new HoldfastError(
      "invalid_input",
      `Say what to log: ${kinds.join(", ")} (got ${JSON.stringify(kind)}). Usage: holdfast project log debt "N+1 query in the user list" --severity HIGH`,
    );
  }
  if (args.values.detail === "-") args.values.detail = readFileSync(0, "utf8");
  const name = kind === "decision" ? "decision" : "text";
  const words = rest.length === 0 ? {} : { [name]: rest.join(" ") };
  const given = { ...words, ...fieldsOf(args) };
  if (kind === "decision") return perform(args, "log_decision", given);
  return perform(args, "log_entry", { kind, ...given });
}

export async function handoff(args: ProjectArguments): Promise<number> {
  const summary = args.positionals.join(" ");
  return perform(args, "log_handoff", { ...(summary === "" ? {} : { summary }), ...fieldsOf(args) });
}

export async function archive(args: ProjectArguments): Promise<number> {
  return perform(args, "log_entry", { kind: "archive", text: text(args, "keep") ?? "10" });
}

/** Runs the operation that agents call as a tool, with the same validation. */
async function perform(
  args: ProjectArguments,
  name: string,
  input: Record<string, unknown>,
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
  const who = { agent: text(args, "agent"), session: text(args, "session") };
  const answer: Answer = await operation.run(args.project, normaliseTexts(parsed.data), who);
  if (args.json) printJson(answer);
  else console.log(answer.text);
  return 0;
}

/** The option that fills a tool's field. */
function optionOf(field: string): string {
  return field === "scenarios" ? "scenario" : field;
}

function text({ values }: ProjectArguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** Collects the options that are fields of an operation's input; `--input` passes them all at once as JSON. */
function fieldsOf(args: ProjectArguments): Record<string, unknown> {
  const { values } = args;
  const given: Record<string, unknown> = Object.fromEntries(
    fields.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]),
  );
  if (Array.isArray(values.scenario)) given.scenarios = values.scenario;
  if (Array.isArray(values.evidence)) given.evidence = values.evidence.map(readEvidence);
  const input = text(args, "input");
  return input === undefined ? given : { ...readInput(input), ...given };
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
