import type { ListItem, PhrasingContent, RootContent } from "mdast";
import { findCodeSpans, parseReference, type Reference, spanText } from "../verify/references.ts";
import { readMarkdown } from "./markdown.ts";
import type { Entry, Notes } from "./parse.ts";

/** A word-for-word quote and its location in the code. */
export interface Evidence {
  line: number;
  /** Undefined if no code is quoted. */
  quote: string | undefined;
  /** Undefined if no location is given. */
  reference: Reference | undefined;
  text: string;
}

export interface Decision {
  line: number;
  timestamp: string;
  name: string;
  decision: string;
  rationale: string;
  evidence: Evidence[];
  scenarios: string[];
  by: string;
  /** All other lines. */
  other: string[];
}

const labels = ["decision", "rationale", "evidence", "test scenarios", "decided by"] as const;
type Label = (typeof labels)[number];

/** The lines under each label. */
type Parts = Map<Label | "", { line: number; text: string }[]>;

/**
 * The parser is slow, and on some texts takes the square of their length. Longer entries than anyone writes are read
 * line by line, and so are the rest of the entries of a file that has very many in another format.
 */
const maxParsedLength = 6_000;
const maxParsedInAll = 60_000;

/** The decisions that were read, by file and line, and how much the parser may still read. */
const known = new WeakMap<Notes, { decisions: Map<number, Decision>; left: number }>();

/** Reads an entry in our own format line by line, and any other with the Markdown parser. */
export function readDecision(notes: Notes, entry: Entry): Decision {
  const cache = known.get(notes) ?? { decisions: new Map<number, Decision>(), left: maxParsedInAll };
  known.set(notes, cache);
  const read = cache.decisions.get(entry.line);
  if (read) return read;
  const [under = "", ...rest] = notes.lines.texts.slice(entry.line + 1, entry.end);
  // An underline belongs to the heading.
  const own = [/^ {0,3}(?:=+|-+)\s*$/.test(under) ? "" : under, ...rest];
  const parts = partsByLine(own, entry.line + 1, notes.outline.inert);
  const usual = labels.slice(0, 4).every((label) => parts.has(label));
  const text = own.join("\n");
  const parsed =
    !usual && hasLabel.test(text) && text.length <= Math.min(maxParsedLength, cache.left) ? text : undefined;
  cache.left -= parsed?.length ?? 0;
  const decision = decisionOf(entry, parsed === undefined ? parts : partsByMarkdown(parsed, entry.line + 1));
  cache.decisions.set(entry.line, decision);
  return decision;
}

/** Without a label in it, a text has nothing that reading line by line would miss. */
const hasLabel = /[*_]{2}\s?(?:decision|rationale|evidence|test scenarios|decided by)/i;

function decisionOf(entry: Entry, parts: Parts): Decision {
  const textOf = (label: Label) =>
    (parts.get(label) ?? [])
      .map(({ text }) => text)
      .join(" ")
      .trim();
  return {
    line: entry.line,
    timestamp: entry.timestamp,
    name: entry.name,
    decision: unescapeMarkdown(textOf("decision")),
    rationale: unescapeMarkdown(textOf("rationale")),
    evidence: (parts.get("evidence") ?? []).map(readEvidence).filter(({ text }) => text !== ""),
    scenarios: (parts.get("test scenarios") ?? [])
      .map(({ text }) => unescapeMarkdown(text.replace(/^\s*(?:\d+[.)]|[-*+])\s+/, "").trim()))
      .filter((text) => text !== ""),
    by: textOf("decided by"),
    other: (parts.get("") ?? []).map(({ text }) => text),
  };
}

function partsByLine(own: readonly string[], first: number, inert: ReadonlySet<number>): Parts {
  const parts: Parts = new Map();
  let label: Label | "" = "";
  own.forEach((text, index) => {
    const line = first + index;
    if (text.trim() === "") return;
    if (inert.has(line) && /^\s*<!--/.test(text)) {
      const other = parts.get("") ?? [];
      other.push({ line, text: text.trim() });
      parts.set("", other);
      return;
    }
    const [, name, rest = ""] = /^\*\*([A-Za-z ]+):?\*\*:?[ \t]*(.*)$/s.exec(text) ?? [];
    const known = labels.find((each) => each === name?.toLowerCase());
    label = known ?? (name === undefined ? label : "");
    const part = parts.get(label) ?? [];
    parts.set(label, part);
    const content = known ? rest : text;
    if (content.trim() !== "") part.push({ line, text: content.trim() });
  });
  return parts;
}

/** Labels may be list items, or in the middle of a paragraph. */
function partsByMarkdown(text: string, first: number): Parts {
  const parts: Parts = new Map();
  let label: Label | "" = "";
  const add = (line: number, content: string) => {
    const part = parts.get(label) ?? [];
    parts.set(label, part);
    if (content.trim() !== "") part.push({ line, text: content.trim() });
  };
  const readPhrase = (children: readonly PhrasingContent[]) => {
    let content = "";
    let line = first;
    for (const child of children) {
      const source = sourceOf(text, child);
      const name = child.type === "strong" ? source.replaceAll(/[*_:]/g, "").trim().toLowerCase() : undefined;
      const known = labels.find((each) => each === name);
      if (content === "" || known) line = content === "" ? lineOf(child, first) : line;
      if (known) {
        add(line, content);
        label = known;
        content = "";
        line = lineOf(child, first);
      } else content += content === "" ? source.replace(/^\s*:\s*/, "") : source;
    }
    add(line, content);
  };
  const readNode = (node: RootContent | ListItem["children"][number]): void => {
    if (node.type === "paragraph" || node.type === "heading") readPhrase(node.children);
    else if (node.type === "list") for (const item of node.children) item.children.forEach(readNode);
    else if (node.type !== "html") add(lineOf(node, first), joinLines(sourceOf(text, node)));
  };
  readMarkdown(text).children.forEach(readNode);
  return parts;
}

interface Positioned {
  position?: { start: { line: number; offset?: number }; end: { offset?: number } } | undefined;
}

function sourceOf(text: string, { position }: Positioned): string {
  return text.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}

function lineOf({ position }: Positioned, first: number): number {
  return first + (position?.start.line ?? 1) - 1;
}

/** A text of several lines as one. */
function joinLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

/** The bullet or number before a line of evidence. */
const evidenceStart = /^(?:[-*+]\s+|\d{1,9}[.)]\s+)?/;

function readEvidence({ line, text }: { line: number; text: string }): Evidence {
  const start = evidenceStart.exec(text)?.[0].length ?? 0;
  const [span] = text.startsWith("`", start) ? findCodeSpans(text.slice(start)) : [];
  const quoted = span?.from === 0 ? span : undefined;
  const location = inBrackets(quoted ? text.slice(start + quoted.to) : text);
  return {
    line,
    quote: quoted && spanText(quoted.inside),
    reference: location === undefined ? undefined : parseReference(location),
    text,
  };
}

/** What is between the first bracket and the last one that closes. */
function inBrackets(text: string): string | undefined {
  const [from, to] = [text.indexOf("["), text.lastIndexOf("]")];
  return from === -1 || to <= from + 1 ? undefined : text.slice(from + 1, to);
}

export function unescapeMarkdown(text: string): string {
  return text.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");
}
