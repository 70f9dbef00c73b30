import { styleText } from "node:util";

type Style = "bold" | "dim" | "green" | "red" | "yellow" | "cyan";

/** Styles text for one stream; text stays plain unless the stream is a terminal. */
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

/** Wraps text at spaces; all lines but the first are indented. */
export function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join(`\n${indent}`);
}

/** Replaces control characters, so that text from a model or a file cannot control the terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this matches
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) =>
    character === "\r" ? "" : "\ufffd",
  );
}
