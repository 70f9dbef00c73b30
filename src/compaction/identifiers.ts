import type { ReceiptItem } from "../engine/records.ts";
import { dropTrailing } from "../engine/text.ts";

const patterns: [kind: ReceiptItem["kind"], pattern: RegExp][] = [
  ["url", /\bhttps?:\/\/[^\s"'`<>()[\]{}]+/g],
  [
    "path",
    /\b[A-Za-z]:\\(?:[\w\u00c0-\u024f\u0370-\u052f@.-]+\\)*[\w\u00c0-\u024f\u0370-\u052f@.-]+|(?<![\w\u00c0-\u024f\u0370-\u052f@.-])(?:[A-Za-z]:)?(?:\.{0,2}\/)?(?:[\w\u00c0-\u024f\u0370-\u052f@.-]+\/)+[\w\u00c0-\u024f\u0370-\u052f@.-]+(?::\d+(?:-\d+)?)?|(?<![\w\u00c0-\u024f\u0370-\u052f-])[\w\u00c0-\u024f\u0370-\u052f-]+\.(?:tsx?|jsx?|mjs|cjs|py|go|rs|java|rb|php|c|cc|cpp|h|hpp|cs|swift|kt|sql|sh|md|json|ya?ml|toml|lock|txt|csv|xlsx?|html?|css)\b(?::\d+)?/g,
  ],
  [
    "id",
    /(?<!\w)#\d+\b|\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{7,40}(?=\b)(?<=[0-9a-f]*\d[0-9a-f]*)|[A-Z][A-Z0-9]{0,9}-\d+|[a-z]+_[0-9][0-9a-z]{3,})\b/g,
  ],
  [
    "number",
    /\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?\b|(?<![\w.])[$€£]?\d[\d,]*(?:\.\d+)?(?:\s?%|[kKmMbB]\b)?(?![\w])/g,
  ],
];

/** Of a longer text only the newest part is searched. */
const maxCharacters = 500_000;

/** Ignores short numbers without a unit or separator. */
function isSignificant(kind: ReceiptItem["kind"], text: string): boolean {
  return kind !== "number" || /[$€£%.,kKmMbB]/.test(text) || text.length >= 3;
}

/** Paths, URLs, ids and numbers of a text, most frequent first, then newest. */
export function findIdentifiers(text: string): ReceiptItem[] {
  const found = new Map<string, { item: ReceiptItem; count: number; last: number }>();
  let rest = withoutLongRuns(text.slice(-maxCharacters));
  for (const [kind, pattern] of patterns) {
    if (kind === "url" && !rest.includes("http")) continue;
    rest = rest.replace(pattern, (match: string, ...groups: unknown[]) => {
      const item = dropTrailing(match, ".,;:");
      const at = groups.find((group): group is number => typeof group === "number") ?? 0;
      if (item !== "" && isSignificant(kind, item)) {
        const known = found.get(item);
        if (known) {
          known.count++;
          known.last = at;
        } else found.set(item, { item: { kind, text: item }, count: 1, last: at });
      }
      // Blank out the match so that no other kind matches it; keep the length so that offsets stay comparable.
      return " ".repeat(match.length);
    });
  }
  return [...found.values()].sort((a, b) => b.count - a.count || b.last - a.last).map(({ item }) => item);
}

/** Long unbroken runs (base64, minified code) contain no identifiers and are slow to search. */
const maxRun = 300;

function withoutLongRuns(text: string): string {
  const { length } = text;
  let cut = "";
  let from = 0;
  for (let start = 0; start < length; ) {
    // Most lines are shorter, so few characters are looked at.
    const newline = text.indexOf("\n", start);
    const lineEnd = newline === -1 ? length : newline;
    let end = lineEnd;
    if (lineEnd - start > maxRun) for (end = start; end < lineEnd && text.charCodeAt(end) > 32; ) end++;
    if (end - start > maxRun && lineEnd - start > maxRun) {
      cut += text.slice(from, start + maxRun);
      from = end;
    }
    start = end + 1;
  }
  return cut + text.slice(from);
}

/** Numbers last: there may be thousands, and a path says more. */
export function namesFirst(items: readonly ReceiptItem[]): ReceiptItem[] {
  return [...items.filter(({ kind }) => kind !== "number"), ...items.filter(({ kind }) => kind === "number")];
}

/** Tests whether a text contains a name as a whole, not as part of a longer one. */
export function containsWhole(text: string, name: string): boolean {
  if (!text.includes(name)) return false;
  const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`(?<![\\w/@.-])${escaped}(?![\\w/-]|\\.\\w)`).test(text);
}
