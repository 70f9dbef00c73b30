import { readFileSync } from "node:fs";
import { normaliseTexts } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { entryKinds } from "../../surfaces/project/entries.ts";
import { type LintReport, lintProject } from "../../surfaces/project/lint.ts";
import { type Answer, initProject, openProject, type Project } from "../../surfaces/project/project.ts";
import { splitQuote } from "../../surfaces/project/references.ts";
import { projectOperations } from "../../surfaces/project/surface.ts";
import { describeStale, verifyProject } from "../../surfaces/project/verify.ts";
import { projectOptionsOf } from "../../workspace/config.ts";
import { requireValid } from "../../workspace/config-file.ts";
import { findProject } from "../../workspace/project.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { type Arguments, readArguments, readSubcommand } from "../arguments.ts";
import { counted } from "../terminal/quantities.ts";
import { print, printProblem } from "../terminal/screen.ts";

type Values = Arguments<"project">["values"];

interface ProjectArguments {
  project: Project;
  values: Values;
  positionals: string[];
}

const subcommands: Record<string, (args: ProjectArguments) => Promise<number>> = {
  init: initialize,
  lint,
  verify,
  recover,
  log,
  handoff,
  archive,
};

/** `holdfast project COMMAND`: project memory in NOTES.md. */
export async function project(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("project", args);
  const { run, rest } = readSubcommand("project", positionals, subcommands);
  const root = values.root ?? findProject(process.cwd()).root;
  const { config } = findWorkspace({ cwd: root });
  await requireValid(config);
  const configured = projectOptionsOf(config);
  const project = openProject({
    root,
    path: values.file ?? configured.path,
    beads: configured.beads,
  });
  return run({ project, values, positionals: rest });
}

async function initialize({ project, values }: ProjectArguments): Promise<number> {
  const { name, ignored } = initProject(project);
  const next = ignored
    ? "Git ignores it: remove it from .gitignore to share it."
    : "Commit it with the code.";
  print(values, { ok: true, file: name, ignored }, () => [`Wrote ${name}. ${next}`]);
  return 0;
}

async function recover(args: ProjectArguments): Promise<number> {
  const { level } = args.values;
  const query = args.positionals.join(" ");
  return perform(args, "recover_context", {
    query,
    ...(level === undefined ? {} : { level: Number(level) }),
  });
}

const fields = ["title", "rationale", "detail", "done", "severity", "actionable", "next", "task"] as const;

async function log(args: ProjectArguments): Promise<number> {
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

async function handoff(args: ProjectArguments): Promise<number> {
  const summary = args.positionals.join(" ");
  return perform(args, "log_handoff", { ...(summary === "" ? {} : { summary }), ...fieldsOf(args) });
}

async function archive(args: ProjectArguments): Promise<number> {
  return perform(args, "log_entry", { kind: "archive", text: args.values.keep ?? "10" });
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
        return `it does not take ${issue.keys.map(argumentOf).join(", ")}`;
      const field = String(issue.path[0] ?? "");
      return input[field] === undefined
        ? `${argumentOf(field)} is missing`
        : `${argumentOf(field)}: ${issue.message}`;
    });
    throw new HoldfastError(
      "invalid_input",
      `${[...new Set(problems)].join(", ")}. Nothing was changed. Run "holdfast project --help" to see its options.`,
    );
  }
  const who = { agent: args.values.agent, session: args.values.session };
  const answer: Answer = await operation
    .run(args.project, normaliseTexts(parsed.data), who)
    .catch((error: unknown) => {
      throw error instanceof HoldfastError ? asCommand(error) : error;
    });
  print(args.values, answer, () => [answer.text]);
  return 0;
}

/** An agent gets an example of its call; at the command line, the same example is a command. */
function asCommand(error: HoldfastError): HoldfastError {
  const [call, example = ""] = /Call it like this: (\{.*\})\.$/.exec(error.message) ?? [];
  if (call === undefined) return error;
  const { kind, text, ...options } = JSON.parse(example) as Record<string, unknown>;
  const given = Object.entries(options).map(([name, value]) =>
    value === true ? `--${name}` : `--${name} ${JSON.stringify(value)}`,
  );
  const command = ["holdfast project log", kind, JSON.stringify(text), ...given].join(" ");
  const message = error.message
    .replace(call, `Write it like this: ${command}`)
    .replaceAll(/"(detail|done|severity|actionable)"(?:: true)?/g, "--$1");
  return new HoldfastError(error.code, message, { data: error.data, cause: error });
}

/** The argument that fills a tool's field. */
function argumentOf(field: string): string {
  if (["text", "decision", "summary"].includes(field)) return field === "summary" ? "SUMMARY" : "TEXT";
  return field === "scenarios" ? "--scenario" : `--${field}`;
}

/** The options that are fields of an operation's input. */
function fieldsOf({ values }: ProjectArguments): Record<string, unknown> {
  const given: Record<string, unknown> = Object.fromEntries(
    fields
      .filter((name) => values[name] !== undefined && values[name] !== false)
      .map((name) => [name, values[name]]),
  );
  if (Array.isArray(values.scenario)) given.scenarios = values.scenario;
  if (Array.isArray(values.evidence)) given.evidence = values.evidence.map(readEvidence);
  return given;
}

/** Parses `PATH:LINE QUOTE`, or the form used in NOTES.md: `` `QUOTE` [PATH:LINE] ``. */
function readEvidence(input: string): { quote: string; path: string } {
  const text = input.trim().replace(/^-\s+/, "");
  const { quote: quoted, rest } = splitQuote(text);
  const location = rest.trim();
  if (quoted !== undefined && location.length > 2 && location.startsWith("[") && location.endsWith("]"))
    return { quote: quoted, path: location.slice(1, -1) };
  const [, path, quote] = /^(\S+)\s+(.+)$/s.exec(input.trim()) ?? [];
  if (path !== undefined && quote !== undefined) return { quote, path };
  throw new HoldfastError(
    "invalid_input",
    `--evidence must be a location and a quote from it, such as "src/jwt.ts:52 export function isTokenExpired" (got ${JSON.stringify(input)}).`,
  );
}

/** Exit code 0: no findings. 1: findings. 2: the file could not be checked. */
async function lint({ project, values }: ProjectArguments): Promise<number> {
  try {
    if (values.fix)
      throw new HoldfastError(
        "invalid_input",
        'Lint changes nothing, so it takes no --fix. "holdfast project verify --fix" writes the new lines of quotes that moved.',
      );
    const report = await lintProject(project);
    print(values, report, () =>
      report.findings.length === 0
        ? ["No findings."]
        : report.findings.map(({ rule, line, message }) => `${report.file}:${line}: ${rule}: ${message}`),
    );
    if (!values.json) reportProblems(report);
    return report.findings.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    printProblem(error.message);
    return 2;
  }
}

function reportProblems({ findings, skipped }: LintReport): void {
  for (const { rule, reason } of skipped) printProblem(`${rule} was not checked: ${reason}.`);
  if (findings.length > 0) printProblem(`${counted(findings.length, "finding")}.`);
}

/** Exit code 0: all references are valid. 1: some are stale. */
async function verify({ project, values }: ProjectArguments): Promise<number> {
  const report = verifyProject(project, {
    write: !values["no-write"],
    fix: values.fix,
  });
  const { references, ok, stale, updated } = report;
  const shown = references.map(({ line, kind, reference, quote, status, problem, now }) => ({
    line: line + 1,
    kind,
    reference: reference.text,
    ...(quote === undefined ? {} : { quote }),
    status,
    ...(problem === "" ? {} : { problem }),
    ...(now === undefined ? {} : { now }),
  }));
  print(values, { ok, stale: stale.length, updated, references: shown }, () => [
    ...stale.map((each) => `${project.file.name}: ${describeStale(each)} (${each.status})`),
    `${ok} of ${counted(references.length, "reference")} are valid, ${counted(updated, "line")} updated.`,
  ]);
  return stale.length === 0 ? 0 : 1;
}
