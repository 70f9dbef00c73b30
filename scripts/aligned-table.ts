/** A Markdown table with aligned columns, as the formatter writes it. */
export function alignedTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  return `${line(head)}${line(widths.map((width) => "-".repeat(width)))}${rows.map(line).join("")}`;
}
