/** A Markdown table with aligned columns, as the formatter writes it, and readable in a terminal. */
export function alignedTable(rows: readonly (readonly (string | number)[])[]): string {
  const [head = [], ...body] = rows.map((row) => row.map(String));
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...body].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  return `${line(head)}${line(widths.map((width) => "-".repeat(width)))}${body.map(line).join("")}`;
}
