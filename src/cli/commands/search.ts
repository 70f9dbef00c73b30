import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { openExistingMemory } from "../../workspace/open-memory.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { eachSession, pickSession } from "../pick-session.ts";
import { type LineMatch, TextSearch } from "../search-text.ts";
import { startProgress } from "../terminal/progress.ts";
import { ageOf } from "../terminal/quantities.ts";
import { printJson, printLines, type Screen, screenOf } from "../terminal/screen.ts";
import { visibleLine, visibleText } from "../terminal/visible-text.ts";
import { type Span, wrapSpans } from "../terminal/wrap-text.ts";

const usage = "search QUERY [--session ID] [--limit N]";

interface Hit extends LineMatch {
  session: string;
  title: string | null;
  updatedAt: number;
  kind: "notepad" | "plan" | "scratchpad" | "reference" | "note";
  /** Of a note. */
  note?: string;
  tags?: string[];
}

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    session: { type: "string" },
    limit: { type: "string" },
  });
  const query = positionals.join(" ").trim();
  if (query === "") throw new HoldfastError("invalid_input", `QUERY is missing. Usage: holdfast ${usage}`);
  const limit = wholeNumber(values.limit, "limit") ?? 20;
  const memory = await openExistingMemory({ flags: values });
  try {
    const best = new BestHits(limit);
    const search = new TextSearch(query);
    for await (const session of sessionsToSearch(memory, values.session))
      for (const hit of await searchSession(session, search)) best.offer(hit);
    const hits = best.sorted();
    if (values.json) {
      printJson({ query, total: best.total, hits: hits.map(({ ranges: _ranges, ...hit }) => hit) });
    } else printLines(render(hits, best.total, query, screenOf()));
    return 0;
  } finally {
    await memory.close();
  }
}

/** One after the other, so that thousands of sessions never are in memory together. */
async function* sessionsToSearch(memory: Memory, named: string | undefined): AsyncGenerator<Session> {
  if (named !== undefined) {
    yield await pickSession(memory, named);
    return;
  }
  let total = 0;
  for await (const _session of eachSession(memory)) total++;
  const progress = startProgress("Searching", total);
  let done = 0;
  for await (const { id } of eachSession(memory)) {
    progress.at(done++);
    const session = await memory.findSession(id);
    if (session) yield session;
  }
  progress.end();
}

async function searchSession(session: Session, search: TextSearch): Promise<Hit[]> {
  const { row } = await session.state();
  const { notes, plan, refs } = await session.scratchpad.read();
  const from = { session: row.id, title: row.title, updatedAt: row.updatedAt };
  const texts = [
    ["notepad", row.notepad ?? ""],
    ["plan", plan],
    ["scratchpad", notes],
    ["reference", refs.join("\n")],
  ] as const;
  const hits = texts.flatMap(([kind, text]) =>
    text === "" ? [] : search.lines(text).map((match): Hit => ({ ...from, kind, ...match })),
  );
  if (row.counters.notes === 0) return hits;
  for (const { key, value } of await session.records("note")) {
    const { content, tags } = value as { content: string; tags: string[] };
    // A note is found once, by its best line.
    const [match] = search.lines(content, tags.join(" ")).sort((a, b) => b.score - a.score);
    if (match) hits.push({ ...from, kind: "note", note: key, tags, ...match });
  }
  return hits;
}

/** Keeps the best so many, however many are offered. */
class BestHits {
  total = 0;
  readonly #limit: number;
  #hits: Hit[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(hit: Hit): void {
    this.total++;
    this.#hits.push(hit);
    if (this.#hits.length >= 2 * this.#limit + 100) this.#hits = this.sorted();
  }

  sorted(): Hit[] {
    return this.#hits.sort((a, b) => b.score - a.score || b.updatedAt - a.updatedAt).slice(0, this.#limit);
  }
}

function render(hits: readonly Hit[], total: number, query: string, screen: Screen): string[] {
  if (total === 0) return [`Nothing was found for ${JSON.stringify(visibleLine(query))}.`];
  const lines = [...Map.groupBy(hits, ({ session }) => session).values()].flatMap((group, place) => {
    const [{ session, title, updatedAt } = { session: "", title: null, updatedAt: 0 }] = group;
    const heading: Span[] = [
      { text: session, style: "cyan" },
      ...(title === null ? [] : [{ text: `  ${visibleLine(title)}`, style: "bold" } as const]),
      { text: "  " },
      { text: ageOf(updatedAt), style: "dim", whole: true },
    ];
    return [
      ...(place === 0 ? [] : [""]),
      ...wrapSpans(heading, "", "  ", screen),
      ...group.flatMap((hit) => renderHit(hit, screen)),
    ];
  });
  const more = total > hits.length ? ["", `${total - hits.length} more; --limit shows them.`] : [];
  return [...lines, ...more];
}

function renderHit(hit: Hit, screen: Screen): string[] {
  const { kind, note, tags = [], line } = hit;
  const place: Span[] = [
    { text: note ?? `${kind}:${line}`, style: "dim", whole: true },
    ...tags.flatMap((tag): Span[] => [{ text: " " }, { text: `#${visibleLine(tag)}`, style: "magenta" }]),
    { text: "  " },
  ];
  return wrapSpans([...place, ...highlighted(hit)], "  ", "    ", screen);
}

/** Lines may be long: shown is what is around the first match. */
const mostShown = 240;

function highlighted({ text, ranges }: LineMatch): Span[] {
  const begin = Math.max(0, (ranges[0]?.[0] ?? 0) - mostShown / 3);
  const start = begin === 0 ? 0 : Math.max(begin, text.indexOf(" ", begin) + 1);
  const end = Math.min(text.length, start + mostShown);
  const spans: Span[] = [];
  let at = start;
  for (const [from, to] of ranges) {
    if (from < at || to > end) continue;
    spans.push({ text: visibleText(text.slice(at, from)) });
    spans.push({ text: visibleText(text.slice(from, to)), style: ["bold", "yellow"] });
    at = to;
  }
  spans.push({ text: visibleText(text.slice(at, end).toWellFormed()) });
  return [
    ...(start > 0 ? [{ text: "…" }] : []),
    ...spans.map((span, place) => (place === 0 ? { ...span, text: span.text.trimStart() } : span)),
    ...(end < text.length ? [{ text: "…" }] : []),
  ];
}
