import type { ListItem, PhrasingContent, RootContent } from "mdast";
import { parseReference, type Reference, spanText } from "../verify/references.ts";
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

/** Reads an entry in our own format line by line, and any other with the Markdown parser. */
export function readDecision(notes: Notes, entry: Entry): Decision {
  const [under = "", ...rest] = notes.lines.texts.slice(entry.line + 1, entry.end);
  // An underline belongs to the heading.
  const own = [/^ {0,3}(?:=+|-+)\s*$/.test(under) ? "" : under, ...rest];
  const parts = partsByLine(own, entry.line + 1, notes.outline.inert);
  const usual = labels.slice(0, 4).every((label) => parts.has(label));
  return decisionOf(entry, usual ? parts : partsByMarkdown(own.join("\n"), entry.line + 1));
}

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
      parts.set("", [...(parts.get("") ?? []), { line, text: text.trim() }]);
      return;
    }
    const [, name, rest = ""] = /^\*\*([A-Za-z ]+):?\*\*:?[ \t]*(.*)$/.exec(text) ?? [];
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
    else if (node.type !== "html")
      add(lineOf(node, first), sourceOf(text, node).replaceAll(/\s*\n\s*/g, " "));
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

const maxEvidenceLength = 4_000;

const evidenceLine = /^(?:[-*+]\s+|\d+[.)]\s+)?(`+)(?!`)(.*?[^`])\1(?!`)(.*)$/;

function readEvidence({ line, text }: { line: number; text: string }): Evidence {
  const [, , inside, after = ""] = evidenceLine.exec(text.slice(0, maxEvidenceLength)) ?? [];
  const location = /\[(.+)\]/.exec(inside === undefined ? text : after)?.[1];
  return {
    line,
    quote: inside === undefined ? undefined : spanText(inside),
    reference: location === undefined ? undefined : parseReference(location),
    text,
  };
}

export function unescapeMarkdown(text: string): string {
  return text.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");
}
