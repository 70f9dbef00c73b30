import type { Screen } from "./screen.ts";
import { visibleLine } from "./visible-text.ts";
import { cutToWidth, padToWidth, textWidth } from "./wrap-text.ts";

export interface Column {
  title: string;
  style?: Parameters<Screen["paint"]>[0];
  /** Takes the room that the other columns leave, and is cut if that is too little. */
  isWide?: boolean;
}

const gap = 2;
/** Less tells nothing. */
const leastWide = 16;

/** Aligned columns under their titles, one line per row. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  screen: Screen,
): string[] {
  const texts = rows.map((row) => row.map(visibleLine));
  const widths = columns.map(({ title }, index) =>
    Math.max(textWidth(title), ...texts.map((row) => textWidth(row[index] ?? ""))),
  );
  const wide = columns.findIndex(({ isWide }) => isWide);
  const others = widths.reduce((sum, width, index) => (index === wide ? sum : sum + width + gap), 0);
  if (wide !== -1) widths[wide] = Math.max(leastWide, Math.min(widths[wide] ?? 0, screen.width - others));
  const line = (cells: readonly string[], styleOf: (index: number) => Column["style"]) =>
    cells
      .map((cell, index) => {
        const text = padToWidth(cutToWidth(cell, widths[index] ?? 0), widths[index] ?? 0);
        const style = styleOf(index);
        return style ? screen.paint(style, text) : text;
      })
      .join(" ".repeat(gap))
      .trimEnd();
  return [
    line(
      columns.map(({ title }) => title),
      () => "dim",
    ),
    ...texts.map((row) => line(row, (index) => columns[index]?.style)),
  ];
}
