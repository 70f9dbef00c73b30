import { styleText } from "node:util";
import { visibleJson } from "./visible-text.ts";

type Style =
  | "bold"
  | "dim"
  | "italic"
  | "underline"
  | "red"
  | "green"
  | "yellow"
  | "blue"
  | "magenta"
  | "cyan";

export type Paint = (style: Style | Style[], text: string) => string;

/** Where output goes: how wide it is, and whether it shows colours. */
export interface Screen {
  /** Columns; without end where nobody looks at columns, as in a file. */
  width: number;
  colours: boolean;
  paint: Paint;
}

/** Colours only on a terminal, and not where NO_COLOR is set. */
export function screenOf(stream: NodeJS.WriteStream = process.stdout): Screen {
  const colours =
    stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb" && stream.hasColors();
  const asked = Number(process.env.COLUMNS);
  const given = stream.isTTY ? stream.columns || asked || 80 : asked || Number.POSITIVE_INFINITY;
  return {
    width: Math.max(20, given),
    colours,
    paint: (style, text) =>
      colours && text !== "" ? styleText(style, text, { validateStream: false }) : text,
  };
}

export function printJson(value: unknown): void {
  process.stdout.write(`${visibleJson(value)}\n`);
}

export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}
