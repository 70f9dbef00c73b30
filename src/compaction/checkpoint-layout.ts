import type { Measure } from "./budget.ts";
import type { Candidate } from "./need/choose.ts";

export const headings = {
  asks: "Asked and not answered yet",
  running: "Still running",
  tasks: "Open tasks",
  planOpen: "Still to do",
  planClosed: "Done or cancelled, do not redo",
  decisions: "Decided or found",
  commands: "Commands run here",
  failures: "Commands that failed",
  created: "Files created",
  edited: "Files edited",
  unchanged: "Files read, unchanged on disk at the compaction",
  changed: "Files read, changed on disk since",
  read: "Files read",
  missed: "Files that could not be read or changed",
  paths: "Other paths",
  symbols: "Symbols",
  flags: "Flags",
  addresses: "Addresses",
  ids: "Ids, versions and numbers",
  others: "Other names",
} as const;

export type Section = keyof typeof headings;

export interface Item extends Candidate {
  section: Section;
  text: string;
  /** For a symbol: the file it belongs to. */
  home?: string;
  /** For a statement: its place among those of its section. */
  place?: number;
}

const open = "[Checkpoint, written down before the compaction]";
const close = "[End of checkpoint]";

/** The longest beginning of the list that fits, and after it whatever is small enough. */
export function fill(items: readonly Item[], { cost, total }: Measure): Item[] {
  let low = 0;
  let high = items.length;
  // The items' own costs tell nearly how many fit; a layout for each step of a search among all would take longer.
  let next = Math.max(1, fittingCosts(items, total * withoutHeadings));
  let step = 4;
  while (low < high) {
    const isFitting = cost(layOut(items.slice(0, next))) <= total;
    if (isFitting) low = next;
    else high = next - 1;
    next = isFitting ? Math.min(high, low + step) : Math.max(low + 1, high - step);
    step = high - low > 2 * step ? 2 * step : Math.max(1, (high - low) >> 1);
  }
  const chosen = withoutRepeats(items.slice(0, low));
  let misses = 0;
  let left = total - cost(layOut(chosen));
  const roomAfter = (more: readonly Item[]) => total - cost(layOut([...chosen, ...more]));
  // What repeats left may be room for many: those that surely fit are added together.
  const several = items.slice(low, low + fittingCosts(items.slice(low), left * withoutHeadings));
  const room = several.length < 2 ? -1 : roomAfter(several);
  if (room >= 0) {
    chosen.push(...several);
    left = room;
  }
  for (const item of items.slice(room >= 0 ? low + several.length : low)) {
    if (misses === maxMisses) break;
    const more = item.cost > left + rounding ? -1 : roomAfter([item]);
    if (more >= 0) {
      chosen.push(item);
      left = more;
    } else misses++;
  }
  return chosen;
}

/** Puts in what else fits: statements that were left out, and longer forms of those that were cut. */
export function topUp(items: readonly Item[], more: readonly Item[], { cost, total }: Measure): Item[] {
  let chosen = [...items];
  for (const item of more) {
    const next = withStatement(chosen, item);
    if (next && cost(layOut(next)) <= total) chosen = next;
  }
  return chosen;
}

/** The items with a statement in its place; undefined if they have it at this length or longer. */
function withStatement(items: readonly Item[], item: Item): Item[] | undefined {
  const { section, place = 0, text } = item;
  const at = items.findIndex((other) => other.section === section && other.place === place);
  if (at !== -1) return text.length > (items[at]?.text.length ?? 0) ? items.with(at, item) : undefined;
  const later = items.findIndex((other) => other.section === section && (other.place ?? 0) > place);
  return later === -1 ? [...items, item] : items.toSpliced(later, 0, item);
}

/** The share of a text that its headings leave to the items, roughly. */
const withoutHeadings = 0.96;

/** How many items cost no more than this, in order. */
function fittingCosts(items: readonly Item[], total: number): number {
  let sum = 0;
  const over = items.findIndex((item) => {
    sum += item.cost;
    return sum > total;
  });
  return over === -1 ? items.length : over;
}

/** Without names that a longer one further on tells as well, as `a.ts` before `src/a.ts`. */
export function withoutRepeats(items: readonly Item[]): Item[] {
  const tellers = new Map<string, number>();
  for (const { names } of items) for (const name of names) tellers.set(name, (tellers.get(name) ?? 0) + 1);
  return items.filter(({ section, names }) => {
    const isRepeated =
      plainNames.has(section) && names.length > 0 && names.every((name) => (tellers.get(name) ?? 0) > 1);
    if (isRepeated) for (const name of names) tellers.set(name, (tellers.get(name) ?? 0) - 1);
    return !isRepeated;
  });
}

/** A text may take this much less than its parts, each of which is rounded up. */
const rounding = 4;

/** How many items may fail to fit before the text counts as full. */
const maxMisses = 40;

export function layOut(items: readonly Item[]): string {
  const sections = Map.groupBy(items, ({ section }) => section);
  const symbols = Map.groupBy(sections.get("symbols") ?? [], ({ home = "" }) => home);
  const lines: string[] = [];
  for (const name of Object.keys(headings) as Section[]) {
    const listed = sections.get(name) ?? [];
    const texts = fileSections.has(name)
      ? listed.map(({ text, home = "" }) => withSymbols(text, take(symbols, home)))
      : listed.map(({ text }) => text);
    const shown = name === "symbols" ? [...symbols.values()].flat().map(({ text }) => text) : texts;
    if (shown.length > 0) lines.push(`${headings[name]}: ${shown.join(plainNames.has(name) ? " " : "; ")}`);
  }
  return framed(lines);
}

export function framed(lines: readonly string[]): string {
  return [open, ...lines, close].join("\n");
}

const fileSections: ReadonlySet<Section> = new Set(["created", "edited", "unchanged", "changed", "read"]);

/** Sections of single names, which contain no spaces. */
export const plainNames: ReadonlySet<Section> = new Set([
  "paths",
  "symbols",
  "flags",
  "addresses",
  "ids",
  "others",
]);

function take(symbols: Map<string, Item[]>, home: string): readonly Item[] {
  const found = symbols.get(home) ?? [];
  symbols.delete(home);
  return found;
}

function withSymbols(file: string, symbols: readonly Item[]): string {
  return symbols.length === 0 ? file : `${file} (${symbols.map(({ text }) => text).join(" ")})`;
}
