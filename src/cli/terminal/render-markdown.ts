import { dropTrailing } from "../../engine/text.ts";
import type { Screen } from "./screen.ts";
import { visibleMarker, visibleText } from "./visible-text.ts";

type Style = Parameters<Screen["paint"]>[0];

/** Renders Markdown for a terminal, one source line at a time, so that nothing is moved or lost. */
export function renderMarkdown(text: string, indent: string, screen: Screen): string[] {
  const lines: string[] = [];
  let fence: string | undefined;
  const code = (line: string) => `${indent}${screen.paint("dim", "│")} ${line}`.trimEnd();
  for (const line of dropTrailing(visibleText(text), "\n").split("\n")) {
    const marker = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      const closes = marker?.startsWith(fence) && line.trim() === marker;
      if (closes) fence = undefined;
      else lines.push(code(screen.paint("cyan", line.replaceAll("\t", "    "))));
    } else if (marker) {
      fence = marker;
      const language = line.trim().slice(marker.length).trim();
      if (language !== "") lines.push(code(screen.paint("dim", language)));
    } else lines.push(renderLine(line, indent, screen));
  }
  return lines;
}

function renderLine(line: string, indent: string, screen: Screen): string {
  const heading = /^(#{1,6})\s+(.*)$/s.exec(line);
  if (heading) return indent + renderHeading(heading[1] ?? "#", withoutClosing(heading[2] ?? ""), screen);
  if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) return indent + screen.paint("dim", "─".repeat(20));
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/s.exec(line);
  if (item) return indent + renderItem(item, screen);
  const quoted = /^\s*>\s?(.*)$/.exec(line);
  if (quoted) return `${indent}${screen.paint("dim", "▌")} ${renderInline(quoted[1] ?? "", screen, "dim")}`;
  return indent + leadOf(/^\s*/.exec(line)?.[0] ?? "", screen) + renderInline(line.trimStart(), screen);
}

/** A title without the hashes that close it: `## Title ##`. */
function withoutClosing(title: string): string {
  const bare = dropTrailing(title, "#");
  return bare.length < title.length && bare !== bare.trimEnd() ? bare.trimEnd() : title;
}

/** Without colors, the hashes show the level. */
function renderHeading(hashes: string, title: string, screen: Screen): string {
  if (!screen.colours) return `${hashes} ${title}`;
  return renderInline(title, screen, hashes.length === 1 ? ["bold", "underline"] : "bold");
}

function renderItem([, lead = "", bullet = "", box, text = ""]: RegExpExecArray, screen: Screen): string {
  const isDone = box !== undefined && box !== " ";
  const number = /\d/.test(bullet) ? bullet : "";
  const checkbox = box === undefined ? "" : isDone ? "☑" : "☐";
  const sign = [number, checkbox].filter((part) => part !== "").join(" ") || "•";
  const style = isDone ? "green" : box === undefined ? "dim" : "yellow";
  const shown = renderInline(text, screen, isDone ? "dim" : undefined);
  return `${leadOf(lead, screen)}${screen.paint(style, sign)} ${shown}`;
}

/** The original indentation, cut to at most half the width. */
function leadOf(space: string, { width }: Screen): string {
  return space.replaceAll(/[^ ]/g, "    ").slice(0, width / 2);
}

const markers = new RegExp(`(${visibleMarker.source})`);

/** Styles `code`, **bold** and the names of hidden characters. */
export function renderInline(text: string, { colours, paint }: Screen, style?: Style): string {
  if (!colours) return text;
  const plain = (part: string) => (style ? paint(style, part) : part);
  return text
    .split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/)
    .map((part) => {
      if (/^`[^`]+`$/.test(part)) return paint("cyan", part.slice(1, -1));
      if (/^\*\*[^*]+\*\*$/.test(part)) return paint("bold", part.slice(2, -2));
      return part
        .split(markers)
        .map((each) => (visibleMarker.test(each) ? paint("yellow", each) : plain(each)))
        .join("");
    })
    .join("");
}
