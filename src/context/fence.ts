import { oneLine } from "../engine/text.ts";

/**
 * Memory is data. Inside a block, whatever could pass for the block's own markers, for a heading of
 * ours, for a role tag or for a system message gets a backslash, so that it neither looks nor searches like
 * the real thing. Every escape can be taken back: a backslash that stood there already gets another one.
 */
const fences: RegExp[] = [
  // [Session Scratchpad …, [End Scratchpad], [System], [Hint: … and what the controller puts into a prompt
  /\[(\\*)(?=[ \t]*\/?[ \t]*(?:(?:end|session)[ \t]+scratchpad|end of\b|project memory\b|notepad\b|system\b|hint\b|summary\b|checkpoint\b|receipt\b|context:|open tasks|delegated|result cleared|task:|cancelled:|the \w+ block))/gi,
  // ## Session Notepad, at any level and anywhere in a line
  /#[ \t]*(\\*)(?=session[ \t]+(?:notepad|scratchpad))/gi,
  // <system-reminder>, </user>, <|im_start|>, <tool_result>, …
  /<(\\*)(?=[ \t]*\/?[ \t]*(?:\||(?:antml:)?(?:system|user|assistant|human|developer|tool|function|instructions?|context|scratchpad|invoke|parameter)\b|(?:system|tool|function|scratchpad)[-_]))/gi,
  // A line that would open somebody else's turn in a plain-text transcript.
  /^(?:human|assistant|system|user|developer)(\\*)(?=[ \t]*:)/gim,
  // The scratchpad's own headings.
  /^(?:plan|references)(\\*)(?=:[ \t]*\r?$)/gim,
];

export function fenceContent(content: string): string {
  let text = content;
  for (const fence of fences) text = text.replace(fence, (match) => `${match}\\`);
  return closeCodeFences(text);
}

/** A text from outside as one fenced line, for a list or a sentence of ours. */
export function fenceLine(text: string, limit = Number.POSITIVE_INFINITY): string {
  const line = fenceContent(oneLine(text)).toWellFormed();
  return line.length > limit ? `${line.slice(0, limit).toWellFormed()}…` : line;
}

/** Gives back exactly what was fenced. */
export function unfenceContent(text: string): string {
  let content = text.replace(
    codeFence,
    (line, indent: string, first: string, slashes: string, rest: string) =>
      slashes === "" ? line : `${indent}${first}${slashes.slice(1)}${rest}`,
  );
  for (const fence of fences.toReversed()) {
    content = content.replace(fence, (match, slashes: string) =>
      slashes === "" ? match : match.slice(0, -1),
    );
  }
  return content;
}

/** An indented run of backticks or tildes that opens or closes a code block; a backslash after the first disarms it. */
const codeFence = /^([ \t]*)([`~])(\\*)(\2{2,})/gm;

/** A code block that is never closed would swallow what stands after the block, so its opening is disarmed. */
function closeCodeFences(text: string): string {
  let open: { mark: string; length: number } | undefined;
  let lastOpening = -1;
  for (const match of text.matchAll(codeFence)) {
    const [, , first = "", slashes, rest = ""] = match;
    if (slashes !== "") continue;
    const length = 1 + rest.length;
    if (!open) {
      open = { mark: first, length };
      lastOpening = match.index;
    } else if (open.mark === first && length >= open.length && closesLine(text, match)) open = undefined;
  }
  return text.replace(
    codeFence,
    (line, indent: string, first: string, slashes: string, rest: string, at: number) => {
      const disarm = slashes !== "" || (open !== undefined && at >= lastOpening);
      return disarm ? `${indent}${first}${slashes}\\${rest}` : line;
    },
  );
}

function closesLine(text: string, match: RegExpMatchArray): boolean {
  const end = (match.index ?? 0) + match[0].length;
  const lineEnd = text.indexOf("\n", end);
  return text.slice(end, lineEnd === -1 ? undefined : lineEnd).trim() === "";
}
