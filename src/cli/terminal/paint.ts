import { styleText } from "node:util";

type Style = "bold" | "dim" | "green" | "red" | "yellow" | "cyan";

/** Paints for one stream: plain text wherever nobody would see the colours. */
export function painterFor(stream: NodeJS.WriteStream): (style: Style, text: string) => string {
  return (style, text) => (stream.isTTY ? styleText(style, text, { stream }) : text);
}

export function bar(share: number, width: number): string {
  const filled = Math.max(0, Math.min(width, Math.round(share * width)));
  return `${"█".repeat(filled)}${"░".repeat(width - filled)}`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function count(number: number): string {
  return number.toLocaleString("en-US");
}

/** Breaks a text into lines at its spaces; all but the first are indented. */
export function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join(`\n${indent}`);
}

/** What a model or a file says must not steer the terminal: control characters become visible. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) =>
    character === "\r" ? "" : "\ufffd",
  );
}
