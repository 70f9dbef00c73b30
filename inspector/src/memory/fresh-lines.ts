import { useEffect, useRef, useState } from "preact/hooks";

/** How long a new line is lit (milliseconds). */
const litFor = 1_400;

/** The lines that appeared in a text since the last change, for a moment. */
export function useFreshLines(text: string): ReadonlySet<string> {
  const known = useRef(text);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (known.current === text) return undefined;
    const before = new Set(linesOf(known.current));
    known.current = text;
    setFresh(new Set(linesOf(text).filter((line) => !before.has(line))));
    const timer = setTimeout(() => setFresh(new Set()), litFor);
    return () => clearTimeout(timer);
  }, [text]);
  return fresh;
}

/** Lines without bullets and checkboxes, as they are rendered. */
function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/^\s*(?:[-*+>]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, "").trim())
    .filter((line) => line !== "");
}
