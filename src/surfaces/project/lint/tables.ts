import { parseNotes, tableOf } from "../notes-md/parse.ts";
import { sectionNames, severities, type TableKey, tableColumns, tableKeys } from "../notes-md/sections.ts";
import { columnOf, type Row, replaceCell, type Table } from "../notes-md/table.ts";
import { asTimestamp, isDateOrTime } from "../notes-md/timestamps.ts";
import { committedNotes } from "../verify/git.ts";
import { type Finding, finding, type LintSubject, type Rule, replaceLine } from "./rules.ts";

const tableShape: Rule = ({ notes }) =>
  tableKeys.flatMap((key) => {
    const section = notes.sections.get(key);
    if (!section) return [];
    const table = tableOf(notes, key);
    if (!table) {
      return [
        finding(
          "table-shape",
          section.line,
          `"${sectionNames[key]}" has no table with the columns ${tableColumns[key].join(", ")}.`,
        ),
      ];
    }
    return [
      ...headShape(key, table),
      ...rowShapes(table, notes.lines.texts),
      ...strayRows(table, notes.lines.texts, section.end),
    ];
  });

function headShape(key: TableKey, table: Table): Finding[] {
  const { line, cells } = table.header;
  const names = cells.map(({ text }) => text.toLowerCase());
  const missing = tableColumns[key].filter((name) => !names.includes(name.toLowerCase()));
  const found: Finding[] = [];
  if (missing.length > 0)
    found.push(
      finding(
        "table-shape",
        line,
        `The table has no column ${missing.map((name) => `"${name}"`).join(", ")}.`,
      ),
    );
  if (table.delimiters !== cells.length)
    found.push(
      finding(
        "table-shape",
        line + 1,
        `The header has ${cells.length} columns but the delimiter row has ${table.delimiters}.`,
        replaceLine(
          line + 1,
          `|${cells.map(({ text }) => "-".repeat(Math.max(3, text.length + 2))).join("|")}|`,
        ),
      ),
    );
  return found;
}

function rowShapes({ header, rows }: Table, texts: readonly string[]): Finding[] {
  const columns = header.cells.length;
  return rows
    .filter(({ cells }) => cells.length !== columns)
    .map(({ line, cells }) => {
      const message = `The row has ${cells.length} cells but the table has ${columns} columns.`;
      // Only a person can tell which pipe is the extra one.
      if (cells.length > columns)
        return finding("table-shape", line, `${message} Write a pipe inside a cell as \\|.`);
      const text = (texts[line] ?? "").trimEnd();
      const closed = text.endsWith("|") && !text.endsWith("\\|") ? text : `${text} |`;
      return finding(
        "table-shape",
        line,
        message,
        replaceLine(line, closed + " - |".repeat(columns - cells.length)),
      );
    });
}

/** Rows that a blank line separates from their table. */
function strayRows(table: Table, texts: readonly string[], end: number): Finding[] {
  const last = table.rows.at(-1)?.line ?? table.header.line + 1;
  const found: Finding[] = [];
  for (let line = last + 1; line < end; line++) {
    if (/^\s*\|.*\|\s*$/.test(texts[line] ?? ""))
      found.push(
        finding("table-shape", line, "The row is separated from its table. Remove the lines between them."),
      );
  }
  return found;
}

const debtIds: Rule = ({ notes }) => {
  const table = tableOf(notes, "debt");
  const column = table ? columnOf(table, "id") : -1;
  if (!table || column === -1) return [];
  const seen = new Map<string, number>();
  return table.rows.flatMap(({ line, cells }) => {
    const id = cells[column]?.text ?? "";
    if (!/^TD-\d{3,}$/.test(id))
      return [finding("debt-id", line, `${JSON.stringify(id)} is not an id of the form TD-001.`)];
    const first = seen.get(id);
    if (first === undefined) {
      seen.set(id, line);
      return [];
    }
    return [finding("duplicate-id", line, `Line ${first + 1} already uses ${id}. Give this row another id.`)];
  });
};

const severity: Rule = ({ notes }) =>
  eachCell(notes, "debt", "severity", (line, row, column) => {
    const text = row.cells[column]?.text ?? "";
    if (severities.some((each) => each === text)) return [];
    const cell = row.cells[column];
    const upper = text.toUpperCase();
    const fixed =
      cell && severities.some((each) => each === upper)
        ? replaceLine(line, replaceCell(notes.lines.texts[line] ?? "", cell, upper))
        : undefined;
    return [
      finding("severity", line, `${JSON.stringify(text)} must be one of ${severities.join(", ")}.`, fixed),
    ];
  });

const timestampColumns: [key: TableKey, column: string][] = [
  ["identifiers", "last verified"],
  ["log", "timestamp"],
  ["archive", "date"],
];

const tableTimestamps: Rule = ({ notes }) =>
  timestampColumns.flatMap(([key, name]) =>
    eachCell(notes, key, name, (line, row, column) => {
      const cell = row.cells[column];
      if (!cell || cell.text === "" || cell.text === "-" || isDateOrTime(cell.text)) return [];
      const fixed = asTimestamp(cell.text);
      return [
        finding(
          "timestamp",
          line,
          `${JSON.stringify(cell.text)} is not ISO 8601, such as 2026-01-15T14:30:00Z.`,
          fixed === undefined
            ? undefined
            : replaceLine(line, replaceCell(notes.lines.texts[line] ?? "", cell, fixed)),
        ),
      ];
    }),
  );

function eachCell(
  notes: LintSubject["notes"],
  key: TableKey,
  name: string,
  check: (line: number, row: Row, column: number) => Finding[],
): Finding[] {
  const table = tableOf(notes, key);
  const column = table ? columnOf(table, name) : -1;
  if (!table || column === -1) return [];
  return table.rows.flatMap((row) => (column < row.cells.length ? check(row.line, row, column) : []));
}

export const tableRules: readonly Rule[] = [tableShape, debtIds, severity, tableTimestamps];

/** Checks that the log starts with its committed rows, unchanged; or returns why it could not be checked. */
export function checkAppendOnly({ file, notes }: LintSubject): { findings: Finding[] } | { skipped: string } {
  const committed = committedNotes(file);
  if ("none" in committed) return { skipped: committed.none };
  const table = tableOf(notes, "log");
  const now = logRows(table);
  const before = logRows(tableOf(parseNotes(committed.text), "log"));
  const lineFor = (index: number) => now[Math.min(index, now.length - 1)]?.line ?? table?.header.line ?? 0;
  const kept = new Set(now.map(({ key }) => key));
  const lost = new Map<string, Finding>();
  for (const rows of [
    before,
    ...committed.earlier.map((text) => logRows(tableOf(parseNotes(text), "log"))),
  ]) {
    rows.forEach(({ key, text }, index) => {
      if (kept.has(key) || lost.has(key)) return;
      const message = `The committed row ${JSON.stringify(text.slice(0, 120))} was changed or removed. Restore it; add new rows at the end.`;
      lost.set(key, finding("append-only-log", lineFor(index), message));
    });
  }
  const broken = before.findIndex(({ key }, index) => now[index]?.key !== key);
  if (lost.size > 0 || broken === -1) return { findings: [...lost.values()] };
  const message =
    "Committed rows were reordered, or a row was inserted between them. Add new rows at the end.";
  return { findings: [finding("append-only-log", lineFor(broken), message)] };
}

/** Rows with a key to compare them by; it ignores the timestamp's format and trailing empty cells. */
function logRows(table: Table | undefined): { line: number; text: string; key: string }[] {
  return (table?.rows ?? []).map(({ line, cells }) => {
    const texts = cells.map(({ text }) => text);
    const filled = texts.findLastIndex((text) => text !== "" && text !== "-") + 1;
    const key = texts
      .slice(0, filled)
      .map((text, index) => (index === 0 ? (asTimestamp(text) ?? text) : text))
      .join(" | ");
    return { line, text: texts.join(" | "), key };
  });
}
