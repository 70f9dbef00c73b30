import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { plural } from "../format.ts";
import { headingId } from "../markdown-view.tsx";

/** A text with more lines is shown in a frame of its own, with an outline. */
const maxLines = 60;

/** Keeps a long text from making a page of many screens: a frame that scrolls, an outline, and a button for all of it. */
export function LongText({ text, children }: { text: string; children: ComponentChildren }) {
  const [isWhole, setWhole] = useState(false);
  const lines = text.split("\n").length;
  useEffect(() => setWhole(false), [lines > maxLines]);
  if (lines <= maxLines) return children as never;
  const headings = headingsOf(text);
  return (
    <div class="long">
      {headings.length > 1 && (
        <nav class="outline" aria-label="Outline">
          <ul>
            {headings.map(({ level, title }) => (
              <li key={title} style={{ paddingInlineStart: `${(level - 1) * 10}px` }}>
                <button type="button" class="link" onClick={() => show(title)}>
                  {title}
                </button>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <section
        class={`long-text${isWhole ? " is-whole" : ""}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable text must be reachable by keyboard
        tabIndex={0}
        aria-label="The whole text"
      >
        {children}
      </section>
      <button type="button" class="link" onClick={() => setWhole(!isWhole)}>
        {isWhole ? "Show less" : `Show all ${plural(lines, "line")}`}
      </button>
    </div>
  );
}

function show(title: string): void {
  document.getElementById(headingId(title))?.scrollIntoView({ block: "start" });
}

function headingsOf(text: string): { level: number; title: string }[] {
  const found = [...text.matchAll(/^ {0,3}(#{1,4})[ \t]+(\S.*)$/gm)];
  const lowest = Math.min(...found.map(([, marks = ""]) => marks.length));
  const seen = new Set<string>();
  return found.flatMap(([, marks = "", rest = ""]) => {
    const title = rest.trimEnd();
    if (seen.has(title)) return [];
    seen.add(title);
    return [{ level: marks.length - lowest + 1, title }];
  });
}
