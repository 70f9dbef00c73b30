import { oneLine } from "../engine/text.ts";

/**
 * Memory is data. Text inside a block that could pass for one of our markers or headings, a role tag or a system
 * message gets a backslash, so that neither a model nor a search mistakes it for the real thing. The escape is
 * reversible: an existing backslash gets another one.
 */
const fences: RegExp[] = [
  // [Session Scratchpad …, [End Scratchpad], [System], [Hint: … and the controller's other markers
  /\[(\\*)(?=[ \t]*\/?[ \t]*(?:(?:end|session)[ \t]+scratchpad|end of\b|project memory\b|notepad\b|system\b|hint\b|summary\b|checkpoint\b|receipt\b|context:|open tasks|pins\b|found in what|delegated|asked and not|result cleared|task:|cancelled:|the \w+ block))/gi,
  // ## Session Notepad, at any level and anywhere in a line
  /#[ \t]*(\\*)(?=session[ \t]+(?:notepad|scratchpad))/gi,
  // <system-reminder>, </user>, <|im_start|>, <tool_result>, …
  /<(\\*)(?=[ \t]*\/?[ \t]*(?:\||(?:antml:)?(?:system|user|assistant|human|developer|tool|function|instructions?|context|scratchpad|invoke|parameter)\b|(?:system|tool|function|scratchpad)[-_]))/gi,
  // A line that would start another speaker's turn in a plain-text transcript.
  /^(?:human|assistant|system|user|developer)(\\*)(?=[ \t]*:)/gim,
  // The scratchpad's own headings.
  /^(?:plan|references)(\\*)(?=:[ \t]*\r?$)/gim,
];

export function fenceContent(content: string): string {
  let text = content;
  for (const fence of fences) text = text.replace(fence, (match) => `${match}\\`);
  return closeCodeFences(text);
}

/** Untrusted text as one fenced line, for a list or a sentence of ours. */
export function fenceLine(text: string, limit = Number.POSITIVE_INFINITY): string {
  const line = fenceContent(oneLine(text)).toWellFormed();
  return line.length > limit ? `${line.slice(0, limit).toWellFormed()}…` : line;
}

/** The exact inverse of `fenceContent`. */
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

/** Backticks or tildes that open or close a code block, possibly indented; a backslash after the first escapes them. */
const codeFence = /^([ \t]*)([`~])(\\*)(\2{2,})/gm;

/** An unclosed code block would swallow the text after the memory block, so escape its opening. */
function closeCodeFences(text: string): string {
  let open: { character: string; length: number } | undefined;
  let lastOpening = -1;
  for (const match of text.matchAll(codeFence)) {
    const [, , first = "", slashes, rest = ""] = match;
    if (slashes !== "") continue;
    const length = 1 + rest.length;
    if (!open) {
      open = { character: first, length };
      lastOpening = match.index;
    } else if (open.character === first && length >= open.length && closesLine(text, match)) open = undefined;
  }
  return text.replace(
    codeFence,
    (line, indent: string, first: string, slashes: string, rest: string, at: number) => {
      const isEscaped = slashes !== "" || (open !== undefined && at >= lastOpening);
      return isEscaped ? `${indent}${first}${slashes}\\${rest}` : line;
    },
  );
}

function closesLine(text: string, match: RegExpMatchArray): boolean {
  const end = (match.index ?? 0) + match[0].length;
  const lineEnd = text.indexOf("\n", end);
  return text.slice(end, lineEnd === -1 ? undefined : lineEnd).trim() === "";
}
