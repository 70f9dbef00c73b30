import { dropTrailing } from "../../engine/text.ts";
import type { Screen } from "./screen.ts";
import { visibleText } from "./visible-text.ts";
import { inlineSpans, type Span, textWidth, wrapSpans } from "./wrap-text.ts";

/** Renders Markdown as terminal lines, one source line at a time, so that nothing is moved or lost. */
export function renderMarkdown(text: string, indent: string, screen: Screen): string[] {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of dropTrailing(visibleText(text), "\n").split("\n")) {
    const marker = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      const closes = marker?.startsWith(fence) && line.trim() === marker;
      if (closes) fence = undefined;
      lines.push(...(closes ? [] : renderCode(line, indent, screen)));
    } else if (marker) {
      fence = marker;
      const language = line.trim().slice(marker.length).trim();
      if (language !== "") lines.push(`${indent}${screen.paint("dim", `│ ${language}`)}`);
    } else lines.push(...renderLine(line, indent, screen));
  }
  return lines;
}

function renderCode(line: string, indent: string, screen: Screen): string[] {
  const gutter = `${indent}${screen.paint("dim", "│")} `;
  const [first = gutter, ...rest] = wrapSpans(
    [{ text: line.replaceAll("\t", "    "), style: "cyan" }],
    "",
    "",
    { ...screen, width: screen.width - textWidth(indent) - 2 },
  );
  return [first, ...rest].map((each) => `${gutter}${each}`.trimEnd());
}

function renderLine(line: string, indent: string, screen: Screen): string[] {
  const heading = /^(#{1,6})\s+(.*)$/s.exec(line);
  if (heading) return renderHeading(heading[1] ?? "#", withoutClosing(heading[2] ?? ""), indent, screen);
  if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) {
    return [`${indent}${screen.paint("dim", "─".repeat(Math.min(40, screen.width - textWidth(indent))))}`];
  }
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/s.exec(line);
  if (item) return renderItem(item, indent, screen);
  const quoted = /^\s*>\s?(.*)$/.exec(line);
  if (quoted) {
    const bar = `${indent}${screen.paint("dim", "▌")} `;
    return wrapSpans(inlineSpans(quoted[1] ?? "", screen.colours, "dim"), "", "", {
      ...screen,
      width: screen.width - textWidth(indent) - 2,
    }).map((each) => `${bar}${each}`.trimEnd());
  }
  const lead = leadOf(/^\s*/.exec(line)?.[0] ?? "", screen);
  return wrapSpans(inlineSpans(line.trimStart(), screen.colours), indent + lead, indent + lead, screen);
}

/** A title without the hashes that close it: `## Title ##`. */
function withoutClosing(title: string): string {
  const bare = dropTrailing(title, "#");
  return bare.length < title.length && bare !== bare.trimEnd() ? bare.trimEnd() : title;
}

/** Without colors, the hashes show the level. */
function renderHeading(hashes: string, title: string, indent: string, screen: Screen): string[] {
  if (!screen.colours) return wrapSpans([{ text: `${hashes} ${title}` }], indent, indent, screen);
  const style: Span["style"] = hashes.length === 1 ? ["bold", "underline"] : "bold";
  return wrapSpans(inlineSpans(title, true, style), indent, indent, screen);
}

function renderItem(item: RegExpExecArray, indent: string, screen: Screen): string[] {
  const [, lead = "", bullet = "", box, text = ""] = item;
  const done = box !== undefined && box !== " ";
  const checkbox = done ? "☑" : "☐";
  const sign = /\d/.test(bullet)
    ? box === undefined
      ? bullet
      : `${bullet} ${checkbox}`
    : box === undefined
      ? "•"
      : checkbox;
  const inner = indent + leadOf(lead, screen);
  const style = done ? "green" : box === undefined ? "dim" : "yellow";
  const spans = inlineSpans(text, screen.colours, done ? "dim" : undefined);
  const hang = inner + " ".repeat(textWidth(sign) + 1);
  const [first = "", ...rest] = wrapSpans(spans, hang, hang, screen);
  return [`${inner}${screen.paint(style, sign)} ${first.slice(hang.length)}`.trimEnd(), ...rest];
}

/** The original indentation, cut to at most half the width. */
function leadOf(space: string, { width }: Screen): string {
  return space.replaceAll(/[^ ]/g, "    ").slice(0, width / 2);
}
