/** A code block that a text opens and does not close. */
export interface OpenBlock {
  /** The backticks or tildes. */
  marker: string;
  /** Where the line starts that opens it. */
  index: number;
}

/** Backticks or tildes that open or close a code block, possibly indented. */
const fenceLine = /^([ \t]*)(`{3,}|~{3,})(.*)$/gm;

/** The code block that is open at the end of a text; undefined if there is none. */
export function openBlock(text: string): OpenBlock | undefined {
  let open: (OpenBlock & { indent: number }) | undefined;
  for (const { 1: indent = "", 2: marker = "", 3: rest = "", index } of text.matchAll(fenceLine)) {
    const width = indent.replaceAll("\t", "    ").length;
    if (!open) {
      // Backticks after backticks on one line are inline code.
      if (!marker.startsWith("`") || !rest.includes("`")) open = { marker, index, indent: width };
    } else if (closes(open, marker, rest, width)) open = undefined;
  }
  return open;
}

function closes(
  open: { marker: string; indent: number },
  marker: string,
  rest: string,
  width: number,
): boolean {
  const isSame = marker[0] === open.marker[0] && marker.length >= open.marker.length;
  return isSame && rest.trim() === "" && width <= open.indent + 3;
}

/**
 * The beginning and the end of a text with a note between them. A code block that the cut goes through is closed before
 * the note and opened again after it, and a line that opens or closes one is never cut in two.
 */
export function joinCut(text: string, head: number, tailStart: number, note: string): string {
  const before = text.slice(0, isFenceLine(text, head) ? lineStart(text, head) : head);
  const start = isFenceLine(text, tailStart) ? lineEnd(text, tailStart) : tailStart;
  const joined = [
    before.endsWith("\n") ? before.slice(0, -1) : before,
    openBlock(before)?.marker ?? "",
    note,
    openBlock(text.slice(0, start))?.marker ?? "",
    text.slice(text[start] === "\n" ? start + 1 : start),
  ]
    .filter((part) => part !== "")
    .join("\n");
  const open = openBlock(joined);
  return open ? `${joined}\n${open.marker}` : joined;
}

/** Whether an offset is inside a line that opens or closes a code block. */
function isFenceLine(text: string, at: number): boolean {
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  return at > start && at < end && /^[ \t]*(?:`{3}|~{3})/.test(text.slice(start, end));
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}
