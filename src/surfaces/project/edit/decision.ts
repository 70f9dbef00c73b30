import { closestLine, oneLine } from "../../../engine/text.ts";
import { HoldfastError } from "../../../errors.ts";
import type { Notes } from "../notes-md/parse.ts";
import { isTimestamp } from "../notes-md/timestamps.ts";
import type { Caller, Project } from "../project.ts";
import { codeSpan, renderReference } from "../verify/references.ts";
import { projectPath, readSource } from "../verify/working-tree.ts";
import type { Planned } from "./change-notes.ts";
import { addBlock } from "./place-lines.ts";
import { buildPiece, isOneEntry, requireLine } from "./written-pieces.ts";

export interface DecisionInput {
  decision: string;
  rationale: string;
  evidence: { quote: string; path: string; line?: number | undefined }[];
  scenarios: string[];
  title?: string | undefined;
  timestamp?: string | undefined;
}

/** Adds a complete entry to the decision log; the working tree must contain its evidence word for word. */
export function logDecision(
  project: Project,
  input: DecisionInput,
  caller: Caller,
): { timestamp: string; title: string; line: number; corrected: string[] } {
  const timestamp = input.timestamp ?? project.now();
  if (!isTimestamp(timestamp)) throw badTimestamp(timestamp);
  const corrected: string[] = [];
  const evidence = input.evidence.flatMap((each) => quoteLines(project, each, corrected));
  const texts = {
    title: requireLine(input.title ?? firstWords(input.decision), "title"),
    decision: requireLine(input.decision, "decision"),
    rationale: requireLine(input.rationale, "rationale"),
    by: caller.agent?.trim() ? requireLine(caller.agent, "agent") : "",
    ...Object.fromEntries(
      input.scenarios.map((text, index) => [`scenario${index}`, requireLine(text, "scenarios")]),
    ),
  };
  const lines = buildPiece(
    texts,
    (safe) => renderEntry(timestamp, safe, evidence, input.scenarios.length),
    (piece) => isOneEntry(piece, expectedLabels(texts.by !== "")),
  );
  return project.change("log_decision", (notes) =>
    planEntry(notes, lines, timestamp, texts.title, corrected),
  );
}

function planEntry(
  notes: Notes,
  lines: string[],
  timestamp: string,
  title: string,
  corrected: string[],
): Planned<{ timestamp: string; title: string; line: number; corrected: string[] }> {
  const edit = addBlock(notes, "decisions", lines);
  const line = edit.at + edit.insert.indexOf(lines[0] ?? "") + 1;
  return { edits: [edit], result: { timestamp, title, line, corrected } };
}

const expectedLabels = (by: boolean) => [
  "Decision",
  "Rationale",
  ...(by ? ["Decided By"] : []),
  "Evidence",
  "Test Scenarios",
];

function renderEntry(
  timestamp: string,
  texts: Record<string, string>,
  evidence: readonly string[],
  scenarios: number,
): string[] {
  return [
    `#### ${timestamp} - ${texts.title}`,
    `**Decision**: ${texts.decision}`,
    `**Rationale**: ${texts.rationale}`,
    ...(texts.by ? [`**Decided By**: ${texts.by}`] : []),
    "**Evidence**:",
    ...evidence,
    "**Test Scenarios**:",
    ...Array.from({ length: scenarios }, (_, index) => `${index + 1}. ${texts[`scenario${index}`]}`),
  ];
}

const maxQuoteLength = 500;

/** The lines of a quote as items of the evidence list, each with its location. */
function quoteLines(
  project: Project,
  { quote, path, line }: DecisionInput["evidence"][number],
  corrected: string[],
): string[] {
  const name = projectPath(project.file.root, path);
  const source = readSource(project.file.root, name.path);
  if (source.status !== "read") throw noSuchFile(name.path, source.status);
  const text = quote.replaceAll("\r\n", "\n").replace(/^\n+/, "").trimEnd();
  if (text.trim() === "") requireLine(text, "evidence.quote");
  const long = text.split("\n").find((each) => each.length > maxQuoteLength);
  if (long !== undefined) {
    throw new HoldfastError(
      "over_limit",
      `A line of the evidence has ${long.length} characters; the limit is ${maxQuoteLength}. Nothing was changed. Quote only the relevant part.`,
      { data: { path: name.path, limit: maxQuoteLength } },
    );
  }
  const found = source.find(text, line ?? name.line);
  if (found === undefined) {
    const close = closestLine(source.text, text);
    throw new HoldfastError(
      "text_not_found",
      `The quote ${JSON.stringify(text.slice(0, 80))} is not in ${name.path} word for word.${close ? ` The closest line is ${close.number}: ${JSON.stringify(close.line.trim().slice(0, 120))}.` : ""} Nothing was changed. Copy the line exactly.`,
      { data: { path: name.path } },
    );
  }
  const expected = line ?? name.line;
  if (expected !== undefined && expected !== found)
    corrected.push(`${name.path}: the quote is on line ${found}, not ${expected}`);
  return text
    .split("\n")
    .flatMap((each, index) =>
      each.trim() === "" ? [] : [`- ${codeSpan(each.trim())} [${renderReference(name.path, found + index)}]`],
    );
}

function firstWords(text: string): string {
  const line = oneLine(text);
  const cut = /^.{1,60}(?=[ .,;:]|$)/u.exec(line)?.[0] ?? line.slice(0, 60);
  return cut.toWellFormed();
}

function noSuchFile(path: string, status: string): HoldfastError {
  return new HoldfastError(
    "not_found",
    `The evidence refers to ${path}, which ${status === "missing" ? "does not exist" : "cannot be read as a text file"} in the project. Nothing was changed. Use the path of the file that contains the quote.`,
    { data: { path } },
  );
}

function badTimestamp(timestamp: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${JSON.stringify(timestamp)} is not an ISO 8601 timestamp such as 2026-01-15T14:30:00Z. Nothing was changed.`,
    { data: { timestamp } },
  );
}
