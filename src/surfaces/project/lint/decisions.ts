import { isAbsolute, relative } from "node:path";
import { type Decision, readDecision } from "../notes-md/decision.ts";
import { contextFields, entriesOf, itemsOf, ownEnd, tableOf } from "../notes-md/parse.ts";
import { sectionNames } from "../notes-md/sections.ts";
import { asTimestamp, isDateOrTime, isTimestamp } from "../notes-md/timestamps.ts";
import { rootPrefix } from "../verify/references.ts";
import { describeStale } from "../verify/verify.ts";
import { type Finding, finding, type LintSubject, type Rule, replaceLine } from "./rules.ts";

const decisions: Rule = ({ notes }) =>
  entriesOf(notes).flatMap((entry) => {
    const decision = readDecision(notes, entry);
    const missing = missingParts(decision);
    return [
      ...(missing.length > 0
        ? [finding("decision-fields", entry.line, `The decision is missing ${missing.join(", ")}.`)]
        : []),
      ...headingTimestamp(notes.lines.texts[entry.line] ?? "", decision),
      ...badEvidence(decision),
    ];
  });

function missingParts({ timestamp, decision, rationale, evidence, scenarios }: Decision): string[] {
  return [
    ...(timestamp === "" ? ["a timestamp"] : []),
    ...(decision === "" ? ["a decision"] : []),
    ...(rationale === "" ? ["a rationale"] : []),
    ...(evidence.length === 0 ? ["evidence"] : []),
    ...(scenarios.length < 3 ? [`${3 - scenarios.length} of three test scenarios`] : []),
  ];
}

function headingTimestamp(text: string, { line, timestamp, name }: Decision): Finding[] {
  const [, hashes = "", loose = ""] = /^(\s{0,3}#{1,6}\s{1,8})(\S.{0,80}?)\s{1,8}[-–—]\s/.exec(text) ?? [];
  const written = timestamp !== "" && isTimestamp(timestamp) ? timestamp : loose || timestamp;
  if (written === "" || isTimestamp(written)) return [];
  const fixed = asTimestamp(written);
  const message = `${JSON.stringify(written)} is not ISO 8601, such as 2026-01-15T14:30:00Z.`;
  const rest = text.slice(hashes.length + written.length);
  return [
    finding(
      "timestamp",
      line,
      message,
      fixed && name !== "" ? replaceLine(line, hashes + fixed + rest) : undefined,
    ),
  ];
}

function badEvidence({ evidence }: Decision): Finding[] {
  return evidence.flatMap(({ line, quote, reference }) => {
    const missing = [
      ...(quote === undefined ? ["a word-for-word quote in backticks"] : []),
      ...(reference === undefined ? ["its location in square brackets"] : []),
    ];
    return missing.length > 0
      ? [finding("evidence-quote", line, `The evidence is missing ${missing.join(" and ")}.`)]
      : [];
  });
}

const stale: Rule = ({ references, notes }) =>
  references.flatMap((checked) => {
    const { status, kind, line, reference, now } = checked;
    const inside =
      reference.path.startsWith(rootPrefix) && !isOutside(reference.path.slice(rootPrefix.length));
    // `path-root` reports paths that point out of the project; this rule reports links that do.
    if (status === "ok" || (status === "outside" && !inside)) return [];
    const rule = kind === "evidence" && status === "changed" ? "evidence-quote" : "stale-reference";
    const text = notes.lines.texts[line] ?? "";
    const fixed =
      now === undefined || kind === "identifier"
        ? text
        : text.replace(`[${reference.text}]`, () => `[${now}]`);
    const problem = describeStale(checked).replace(/^line \d+: /, "");
    return [finding(rule, line, `${problem}.`, fixed === text ? undefined : replaceLine(line, fixed))];
  });

const pathRoot: Rule = ({ file, references, notes }) =>
  references.flatMap(({ line, reference }) => {
    const { text, path } = reference;
    if (path.startsWith(rootPrefix) && !isOutside(path.slice(rootPrefix.length))) return [];
    const inside = isAbsolute(path) ? relative(file.root, path) : path.replace(/^(?:\.\/)+/, "");
    const problem = `${JSON.stringify(text)} does not start with ${rootPrefix}`;
    if (isOutside(inside) || path.startsWith("$"))
      return [finding("path-root", line, `${problem} or points out of the project.`)];
    const source = notes.lines.texts[line] ?? "";
    const fixed = source.replace(text, () => `${rootPrefix}${inside}${text.slice(path.length)}`);
    return [
      finding(
        "path-root",
        line,
        `${problem}, so it breaks in a session that starts in another directory.`,
        replaceLine(line, fixed),
      ),
    ];
  });

function isOutside(path: string): boolean {
  return isAbsolute(path) || path.split("/").includes("..") || path === "" || /^[a-z]+:/i.test(path);
}

const checkpointTime: Rule = ({ notes }) =>
  ["last checkpoint", "session started"].flatMap((name) => {
    const field = contextFields(notes).get(name);
    if (!field || field.value === "" || field.value === "none" || isDateOrTime(field.value)) return [];
    const { line } = field.item;
    const fixed = asTimestamp(field.value);
    const text = notes.lines.texts[line] ?? "";
    return [
      finding(
        "timestamp",
        line,
        `${JSON.stringify(field.value)} is not ISO 8601, such as 2026-01-15T14:30:00Z.`,
        fixed === undefined
          ? undefined
          : replaceLine(
              line,
              text.replace(field.value, () => fixed),
            ),
      ),
    ];
  });

/** Token limits for the parts that level 1 shows; a section's own text is the text before its subsections. */
export const partBudgets = { continuity: 100, context: 200, identifier: 60, question: 60 };

const tokenBudget: Rule = (subject) => {
  const { notes, countTokens } = subject;
  const over = (line: number, text: string, limit: number, what: string): Finding[] => {
    // The start is enough to see that a text is far too long.
    const tokens = countTokens(text.slice(0, 20_000));
    return tokens > limit
      ? [
          finding(
            "token-budget",
            line,
            `${what} takes ${tokens} tokens; the limit is ${limit}. Shorten it; level 1 cuts it.`,
          ),
        ]
      : [];
  };
  const overSection = (key: "continuity" | "context"): Finding[] => {
    const section = notes.sections.get(key);
    if (!section) return [];
    const lines = notes.lines.texts
      .slice(section.line + 1, ownEnd(notes, section))
      .filter((_, index) => !notes.outline.inert.has(section.line + 1 + index));
    return over(section.line, lines.join("\n").trim(), partBudgets[key], `"${sectionNames[key]}"`);
  };
  return [
    ...overSection("continuity"),
    ...overSection("context"),
    ...(tableOf(notes, "identifiers")?.rows ?? []).flatMap(({ line }) =>
      overRow(subject, line, (text) => over(line, text, partBudgets.identifier, "The identifier")),
    ),
    ...itemsOf(notes, "questions")
      .filter(({ done }) => done !== true)
      .flatMap(({ line, text }) => over(line, text, partBudgets.question, "The question")),
  ];
};

/** Skips counting for short rows: no token is shorter than a byte. */
function overRow({ notes }: LintSubject, line: number, check: (text: string) => Finding[]): Finding[] {
  const text = notes.lines.texts[line] ?? "";
  return text.length > partBudgets.identifier / 3 ? check(text) : [];
}

export const decisionRules: readonly Rule[] = [decisions, stale, pathRoot, checkpointTime, tokenBudget];
