import { createInterface } from "node:readline/promises";
import { styleText } from "node:util";
import { visibleJson, visibleText } from "./visible-text.ts";
import { wrapLine } from "./wrap-text.ts";

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

/** The output's width, and whether it supports colors. */
export interface Screen {
  /** Columns; Infinity for a pipe or a file, unless COLUMNS is set. */
  width: number;
  colours: boolean;
  paint: (style: Style | Style[], text: string) => string;
}

/** Enables colors only on a terminal, and never with NO_COLOR. */
export function screenOf(stream: NodeJS.WriteStream = process.stdout): Screen {
  const colours =
    stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb" && stream.hasColors();
  const fromEnvironment = Number(process.env.COLUMNS);
  const columns = stream.isTTY
    ? stream.columns || fromEnvironment || 80
    : fromEnvironment || Number.POSITIVE_INFINITY;
  return {
    width: Math.max(20, columns),
    colours,
    paint: (style, text) =>
      colours && text !== "" ? styleText(style, text, { validateStream: false }) : text,
  };
}

/** Prints the result of a command: JSON for a program, or lines for a reader, wrapped to the screen. */
export function print(
  { json }: { json?: boolean | undefined },
  value: unknown,
  lines: (screen: Screen) => readonly string[],
): void {
  if (json) printJson(value);
  else printLines(lines);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${visibleJson(value)}\n`);
}

/** Prints lines for a reader, wrapped to the screen. */
export function printLines(lines: readonly string[] | ((screen: Screen) => readonly string[])): void {
  const screen = screenOf();
  const wrapped = fit(typeof lines === "function" ? lines(screen) : lines, screen);
  if (wrapped.length > 0) process.stdout.write(`${wrapped.join("\n")}\n`);
}

/** Wraps lines to the screen. */
export function fit(lines: readonly string[], screen: Screen): string[] {
  return lines.flatMap((line) => wrapLine(line, screen));
}

/** Prints a problem to stderr, wrapped to the screen. */
export function printProblem(problem: string): void {
  const screen = screenOf(process.stderr);
  const lines = `holdfast: ${visibleText(problem)}`
    .split("\n")
    .flatMap((line, index) => wrapLine(line, screen, index === 0 ? "  " : ""));
  process.stderr.write(`${lines.join("\n")}\n`);
}

/** Asks the person at the terminal; undefined if they close the input. */
export async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const closed = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
    return (await Promise.race([lines.question(question), closed]))?.trim();
  } finally {
    lines.close();
  }
}

/** Whether someone reads what we print and can answer. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}
