import { closestLine, oneLine } from "../../engine/text.ts";
import { addLines, addRows, type Edit, escapeStart, lineOf, type Planned, replaceLines } from "./edit.ts";
import { type Entry, maxLineLength, type Notes, newestEntries } from "./notes.ts";
import { type Answer, type Caller, nameOf, type Project } from "./project.ts";
import { codeSpan, findQuote, noSuchFile, projectPath, readSource, renderReference } from "./references.ts";
import { refusal, requireLine } from "./refusal.ts";

export interface DecisionInput {
  decision: string;
  rationale: string;
  evidence: { quote: string; path: string }[];
  scenarios: string[];
  title?: string | undefined;
}

/** Adds a complete entry to the decision log; the working tree must contain its evidence word for word. */
export function logDecision(project: Project, input: DecisionInput, caller: Caller): Answer {
  const timestamp = project.now();
  const title = requireLine(input.title ?? firstWords(input.decision), "title");
  if (input.evidence.length === 0)
    throw refusal(
      "invalid_input",
      '"evidence" is empty',
      "Quote at least one line of the code, with its path",
    );
  if (input.scenarios.length !== 3)
    throw refusal(
      "invalid_input",
      `"scenarios" has ${input.scenarios.length} ${input.scenarios.length < 3 ? "of" : "instead of"} three test scenarios`,
      "Give the happy path, an edge case and an error",
    );
  const quotes = input.evidence.map((each) => quoteOf(project, each));
  const lines = [
    `#### ${timestamp} - ${title.replace(/ (?=#{1,40}$)/, " \\")}`,
    `**Decision**: ${requireLine(input.decision, "decision")}`,
    `**Rationale**: ${requireLine(input.rationale, "rationale")}`,
    `**Decided By**: ${nameOf(caller)}`,
    "**Evidence**:",
    ...quotes.flatMap((each) => each.lines),
    "**Test Scenarios**:",
    ...input.scenarios.map((text, index) => `${index + 1}. ${escapeStart(requireLine(text, "scenarios"))}`),
  ];
  return project.change((notes): Planned<Answer> => {
    const same = newestEntries(notes).find((entry) => isSame(notes, entry, lines));
    if (same) {
      const line = same.line + 1;
      const text = `Already logged (${same.timestamp}) on line ${line}.`;
      return { edits: [], result: { ok: true, text, line, id: same.timestamp } };
    }
    const edit = addLines(notes, "decisions", lines);
    const line = lineOf(edit);
    const corrected = quotes.flatMap((each) => each.corrected ?? []);
    const notice = corrected.length === 0 ? "" : ` Corrected: ${corrected.join("; ")}.`;
    const text = `Logged the decision "${title}" (${timestamp}) on line ${line}.${notice}`;
    return { edits: [edit], result: { ok: true, text, line, id: timestamp } };
  });
}

/** A client that got no answer sends a decision again: only the time of its heading differs. */
function isSame({ texts }: Notes, { line }: Entry, [heading = "", ...rest]: readonly string[]): boolean {
  const [first = "", ...others] = texts.slice(line, line + 1 + rest.length);
  const title = (text: string) => text.slice(text.indexOf(" - "));
  return title(first) === title(heading) && others.join("\n") === rest.join("\n");
}

const maxQuoteLength = 500;

/** The lines of a quote as items of the evidence list, each with its location, and what was wrong with the given one. */
function quoteOf(
  { file: { root } }: Project,
  { quote, path }: DecisionInput["evidence"][number],
): { lines: string[]; corrected: string | undefined } {
  const name = projectPath(root, path);
  const source = readSource(root, name.path);
  if (source.status !== "read") throw noSuchFile(name.path, source.status);
  const text = quote.replaceAll("\r\n", "\n").replace(/^\n+/, "").trimEnd();
  if (text.trim() === "") requireLine(text, "evidence.quote");
  const long = text.split("\n").find((each) => each.length > maxQuoteLength);
  if (long !== undefined)
    throw refusal(
      "over_limit",
      `A line of the evidence has ${long.length} characters; the limit is ${maxQuoteLength}`,
      "Quote only the relevant part",
      { path: name.path, limit: maxQuoteLength },
    );
  const found = findQuote(source.lines, text, name.from);
  if (found === undefined) {
    const close = closestLine(source.lines.join("\n"), text);
    const closest = close
      ? `. The closest line is ${close.number}: ${JSON.stringify(close.line.trim().slice(0, 120))}`
      : "";
    throw refusal(
      "text_not_found",
      `The quote ${JSON.stringify(text.slice(0, 80))} is not in ${name.path} word for word${closest}`,
      "Copy the line exactly",
      { path: name.path },
    );
  }
  const lines = text
    .split("\n")
    .flatMap((each, index) =>
      each.trim() === "" ? [] : [`- ${codeSpan(each.trim())} [${renderReference(name.path, found + index)}]`],
    );
  const isRight = name.from === undefined || name.from === found;
  return {
    lines,
    corrected: isRight ? undefined : `${name.path}: the quote is on line ${found}, not ${name.from}`,
  };
}

function firstWords(text: string): string {
  const line = oneLine(text);
  const cut = /^.{1,60}(?=[ .,;:]|$)/u.exec(line)?.[0] ?? line.slice(0, 60);
  return cut.toWellFormed();
}

/** Moves all but the newest decisions to the archive table, with their evidence and test scenarios. */
export function archiveDecisions(project: Project, { text }: { text: string }): Answer {
  if (!/^\d{1,9}$/.test(text.trim()))
    throw refusal(
      "invalid_input",
      `"text" must be how many of the newest decisions stay in the log (got ${JSON.stringify(text)})`,
      'Use a number such as "10"',
    );
  return project.change((notes) => {
    const entries = newestEntries(notes);
    const old = entries
      .slice(0, Math.max(0, entries.length - Number(text)))
      .map((entry) => ({ entry, row: archiveRow(entry) }))
      // An entry that would make a row too long to read stays in the log.
      .filter(({ row }) => JSON.stringify(row).length < maxLineLength / 2);
    const rows = old.map(({ row }) => row);
    const removals = old.map(({ entry }) => removeEntry(notes, entry));
    const edits = old.length === 0 ? [] : [...removals, addRows(notes, "archive", rows)];
    const left = entries.length - old.length;
    return {
      edits,
      result: { ok: true, text: `Archived ${old.length} decisions; ${left} remain in the log.` },
    };
  });
}

/** Also removes the blank line before it. */
function removeEntry(notes: Notes, { line, end }: Entry): Edit {
  const isBlank = (at: number) => notes.texts[at]?.trim() === "";
  let to = end;
  while (to > line + 1 && isBlank(to - 1)) to--;
  return replaceLines(notes, isBlank(line - 1) ? line - 1 : line, to, []);
}

function archiveRow(entry: Entry): Record<string, string> {
  const { timestamp, name, decision, rationale, evidence, scenarios, by, other } = entry;
  const quotes = evidence.map(({ text }) => text).join("; ");
  const numbered = scenarios.map((text, index) => `${index + 1}. ${text}`).join(" ");
  const parts = [
    rationale,
    quotes === "" ? "" : `Evidence: ${quotes}`,
    numbered === "" ? "" : `Test scenarios: ${numbered}`,
    ...other,
  ];
  return {
    date: timestamp,
    decision: name !== "" && !decision.startsWith(name) ? `${name}: ${decision}` : decision || name,
    rationale: parts.filter((part) => part !== "").join("<br>"),
    "decided by": by,
  };
}
