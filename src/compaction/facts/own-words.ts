/** Longer messages are read at their beginning and end only. */
const maxMessage = 40_000;

/**
 * The lines of a message that the user wrote, in paragraphs: without code, quotations, logs, tagged blocks and pasted
 * documents. Each paragraph is a list of lines.
 */
function ownParagraphs(message: string): string[][] {
  const text =
    message.length > maxMessage
      ? `${message.slice(0, maxMessage / 2)}\n\n${message.slice(-maxMessage / 2)}`
      : message;
  const lines = withoutTagged(text.replaceAll(/\r\n?/g, "\n")).split("\n");
  return paragraphsOf(withoutPasted(withoutCode(lines)));
}

/** Drops `<tag> … </tag>` where the tag begins a line: hosts and users put documents and notices in them. */
function withoutTagged(text: string): string {
  const unclosed = new Set<string>();
  let rest = "";
  let at = 0;
  for (const match of text.matchAll(/^[ \t]*<([a-z][\w.-]{0,40})(?:\s[^<>\n]{0,200})?>/gim)) {
    const [, name = ""] = match;
    if (match.index < at || unclosed.has(name)) continue;
    const close = text.indexOf(`</${name}>`, match.index);
    if (close === -1) unclosed.add(name);
    else {
      rest += `${text.slice(at, match.index)}\n\n`;
      at = close + name.length + 3;
    }
  }
  return rest + text.slice(at);
}

/** Blank lines instead of fenced and indented code and quoted lines. */
function withoutCode(lines: readonly string[]): string[] {
  let fence = "";
  return lines.map((line) => {
    const [, mark = ""] = /^\s{0,8}(```|~~~)/.exec(line) ?? [];
    if (fence !== "") {
      if (mark === fence) fence = "";
      return "";
    }
    fence = mark;
    const isCode = mark !== "" || (/^(?: {4}|\t)/.test(line) && !bullet.test(line));
    return isCode || /^\s*>/.test(line) ? "" : line;
  });
}

const bullet = /^\s*(?:[-*•+]|\d{1,3}[.)])\s+/;
const heading = /^#{1,6}\s+\S/;

/** A line that introduces what someone else wrote. */
const introduction =
  /\b(?:docs?|document(?:ation)?|readme|manual|policy|guide|guidelines|handbook|spec(?:ification)?|article|e?mail|page|logs?|output|errors?|trace(?:back)?|stack|issue|ticket|comment|contents?|transcript|changelog|licen[cs]e|claude\.md|agents\.md|\w+\.(?:md|txt|log|json|ya?ml)|says|said|wrote|reads|dokument|richtlinie|ausgabe|fehler|erreur|sortie|documento|salida|文档|日志|输出)\b[^\n]{0,60}:\s*$/i;

/** Lines that a program printed. */
const printed =
  /^\s*(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|\[(?:error|warn\w*|info|debug|fatal|trace)\]|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b|(?:npm|yarn|pnpm) (?:ERR!|error|warn)|(?:\w*Error|\w*Exception|error|fatal|warning|hint|remote|panic)(?:\[\w+\])?:\s|at \S+ \(|\$ |% |➜|❯|>>> |PS [A-Z]:|[{}[\]"]|\/\*|\/\/ |\+{1,3} |@@ |diff --git|\|)/;

/** A line that introduces what a program printed: prose below it is the user's. */
const outputIntroduction =
  /\b(?:logs?|output|errors?|trace(?:back)?|stack|ausgabe|fehler|erreur|sortie|salida|日志|输出)\b[^\n]{0,60}:\s*$/i;

/** Words that begin the user's own last paragraph below a document. */
const ownOpening =
  /^\s*(?:btw|by the way|oh|also|and|but|please|pls|p\.?s|one more|another thing|anyway|ok(?:ay)?|so|can you|could you|i|we|let'?s|from now on|übrigens|außerdem|bitte|au fait|aussi|por cierto|además|另外|顺便)\b/i;

function withoutPasted(lines: readonly string[]): string[] {
  const start = pastedFrom(lines);
  if (start === -1) return dropPrinted(lines);
  const lastBlank = lines.findLastIndex(
    (line, index) => line.trim() === "" && index > start && hasText(lines, index),
  );
  const tail = lastBlank === -1 ? [] : lines.slice(lastBlank + 1);
  const [first = ""] = tail;
  const isProse = outputIntroduction.test(lines[start - 1] ?? "") && /^\p{L}+,? (?:\S+ )+\S+$/u.test(first);
  const isOwn = ownOpening.test(first) || (isProse && !printed.test(first));
  return [...dropPrinted(lines.slice(0, start)), "", ...(isOwn ? dropPrinted(tail) : [])];
}

function hasText(lines: readonly string[], after: number): boolean {
  return lines.slice(after + 1).some((line) => line.trim() !== "");
}

/** The first line of a pasted document: a heading with a text below it, or the line after an introduction; -1 for none. */
function pastedFrom(lines: readonly string[]): number {
  const introduced = lines.findIndex((line) => line.length < 200 && introduction.test(line));
  const hasDocument = lines.filter((line) => heading.test(line)).length >= 2;
  const headed = lines.findIndex(
    (line, index) =>
      heading.test(line) &&
      (hasDocument || lines.slice(index).filter((each) => each.trim() !== "").length >= 6),
  );
  const starts = [introduced === -1 ? -1 : introduced + 1, headed].filter((index) => index !== -1);
  return starts.length === 0 ? -1 : Math.min(...starts);
}

/** A printed line, and what follows it up to the next empty line. */
function dropPrinted(lines: readonly string[]): string[] {
  let isPrinted = false;
  return lines.map((line) => {
    isPrinted = line.trim() !== "" && (isPrinted || printed.test(line));
    return isPrinted ? "" : line;
  });
}

function paragraphsOf(lines: readonly string[]): string[][] {
  const paragraphs: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() === "") paragraphs.push([]);
    else if (!heading.test(line)) paragraphs.at(-1)?.push(line);
  }
  return paragraphs.filter((paragraph) => paragraph.length > 0);
}

/** Longer sentences are split at semicolons. */
const longSentence = 200;

/** Longer sentences are cut at a comma. */
const maxSentence = 600;

/** The sentences of a message that the user wrote, in order. Lines that were only wrapped are joined. */
export function ownSentences(message: string): string[] {
  return ownParagraphs(message).flatMap((lines) => joinWrapped(lines).flatMap(splitSentences));
}

/** The end of a line that goes on in the next one, whatever that begins with. */
const unfinished =
  /(?:,|\b(?:a|an|the|to|of|in|on|at|by|for|from|with|without|and|or|not|use|our|your|my))\s*$/i;

function joinWrapped(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    const isWrapped = /^\s*[a-z(]/.test(line)
      ? !/[.!?。！？:]\s*$/.test(last?.slice(-20) ?? "")
      : unfinished.test(last?.slice(-20) ?? "");
    if (last !== undefined && !bullet.test(line) && isWrapped)
      joined[joined.length - 1] = `${last} ${line.trim()}`;
    else
      joined.push(
        line
          .replace(bullet, "")
          .replace(/^\s*\[[ x]\]\s*/i, "")
          .trim(),
      );
  }
  return joined;
}

const abbreviation =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|mr|mrs|ms|dr|prof|lic|sr|sra|mme|mlle|st|z\.b|bzw|ca|usw)$|[:;,(]\s*\d{1,2}$/i;

/** "No. 5" */
function isNumbered(line: string, index: number): boolean {
  return (
    /^ \d/.test(line.slice(index + 1, index + 3)) &&
    /(?:^|\s)no$/i.test(line.slice(Math.max(0, index - 3), index))
  );
}

function splitSentences(line: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  const push = (end: number) => {
    sentences.push(...cutLong(line.slice(start, end).trim()));
    start = end;
  };
  for (const { index, 0: mark } of line.matchAll(
    /(?<![.!?…])[.!?…]+(?=["')\]”’]*(?:\s|$))|[。！？；]+|\p{Extended_Pictographic}(?=\s+\p{Lu})/gu,
  )) {
    // A sign after a space is no end: "git checkout . or git stash".
    const isApart =
      /^[.!?…]/.test(mark) &&
      line.charAt(index - 1) === " " &&
      index + mark.length < line.length &&
      !/^[?!]+\s+\p{Lu}/u.test(line.slice(index, index + mark.length + 4));
    const isAbbreviation =
      mark === "." &&
      (abbreviation.test(line.slice(Math.max(start, index - 8), index)) ||
        isNumbered(line, index) ||
        // "Rs. with two decimals"
        (/\b[A-Z][a-z]{1,2}$/.test(line.slice(Math.max(start, index - 4), index)) &&
          /^ [a-z]/.test(line.slice(index + 1, index + 3))));
    // "3.. no, 5": dots before a small letter or a number are a pause.
    const isPause = /^(?:\.{2,}|…)$/.test(mark) && /^\s+[a-z\d]/.test(line.slice(index + mark.length));
    // "No emojis. Not in code, not in the docs." is one rule, and so is "Run it with -race. Always."
    const next = line.slice(index + mark.length, index + mark.length + 24);
    const isGoingOn =
      /^\s+(?:always|ever|every time|each time|no exceptions|period|at all|full stop)\s*(?:[.!]|$)/i.test(
        next,
      ) ||
      (/^\s+(?:not|nor|neither) /i.test(next) && line.slice(start, index).trim().split(/\s+/).length <= 4);
    const end = index + mark.length + (/^["')\]”’]*/.exec(line.slice(index + mark.length))?.[0].length ?? 0);
    if (!isAbbreviation && !isApart && !isPause && !isGoingOn) push(end);
  }
  push(line.length);
  return sentences.filter((sentence) => sentence !== "");
}

function cutLong(sentence: string): string[] {
  const parts = sentence.length > longSentence ? sentence.split(/(?<=;)\s+/) : [sentence];
  return parts.flatMap(cutAtCommas);
}

function cutAtCommas(sentence: string): string[] {
  if (sentence.length <= maxSentence) return [sentence];
  const pieces: string[] = [];
  let piece = "";
  for (const clause of sentence.split(/(?<=[,;，；])/)) {
    if (piece.length + clause.length > maxSentence && piece !== "") {
      pieces.push(piece.trim());
      piece = "";
    }
    piece += clause.slice(0, maxSentence);
  }
  return [...pieces, piece.trim()];
}
