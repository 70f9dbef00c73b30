import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { type SearchHit, SessionSearch } from "../../sessions/session-search.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments, usageError, wholeNumber } from "../arguments.ts";
import { hostSessions } from "../host-sessions.ts";
import { withMemory } from "../memory.ts";
import { eachSession, pickSession } from "../pick-session.ts";
import { startProgress } from "../terminal/progress.ts";
import { ageOf } from "../terminal/quantities.ts";
import { print, type Screen } from "../terminal/screen.ts";
import { visibleLine, visibleText } from "../terminal/visible-text.ts";
import { type Span, wrapSpans } from "../terminal/wrap-text.ts";

/** Lists the lines of every session that match, best first. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("search", args);
  const query = positionals.join(" ").trim();
  if (query === "") throw usageError("search", "QUERY is empty");
  const limit = wholeNumber(values.limit, "limit") ?? 20;
  const hosts = hostSessions(findProject(process.cwd()));
  return withMemory("change", values, async (memory) => {
    const perSession = values.session === undefined ? {} : { perSession: limit };
    const search = new SessionSearch({ query, limit, ...perSession });
    for await (const session of sessionsToSearch(memory, values.session))
      await search.add(session, (mayMatch) => hosts.messages(session.id, mayMatch));
    const { total } = search;
    const hits = search.hits();
    print(values, { query, total, hits: hits.map(toJson) }, (screen) => render(hits, total, query, screen));
    return 0;
  });
}

async function* sessionsToSearch(memory: Memory, idOrPrefix: string | undefined): AsyncGenerator<Session> {
  if (idOrPrefix !== undefined) {
    yield await pickSession(memory, idOrPrefix);
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

function toJson({ session: { id, title, updatedAt }, kind, note, message, line, text, score }: SearchHit) {
  const noteFields = note === undefined ? {} : { note: note.id, tags: note.tags };
  return {
    session: id,
    title,
    updatedAt,
    kind,
    ...noteFields,
    ...(message === undefined ? {} : { message }),
    line,
    text,
    score,
  };
}

function render(hits: readonly SearchHit[], total: number, query: string, screen: Screen): string[] {
  if (total === 0) return [`No matches for ${JSON.stringify(visibleLine(query))}.`];
  const lines = [...Map.groupBy(hits, ({ session: { id } }) => id)].flatMap(([id, group], index) => {
    const { title, updatedAt } = group[0]?.session ?? { title: null, updatedAt: 0 };
    const heading: Span[] = [
      { text: id, style: "cyan" },
      ...(title === null ? [] : [{ text: `  ${visibleLine(title)}`, style: "bold" } as const]),
      { text: "  " },
      { text: ageOf(updatedAt), style: "dim", whole: true },
    ];
    return [
      ...(index === 0 ? [] : [""]),
      ...wrapSpans(heading, "", "  ", screen),
      ...group.flatMap((hit) => renderHit(hit, screen)),
    ];
  });
  const more =
    total > hits.length
      ? ["", `${total - hits.length} more: raise --limit, or search one session with --session.`]
      : [];
  return [...lines, ...more];
}

function renderHit(hit: SearchHit, screen: Screen): string[] {
  const { kind, note, message, line } = hit;
  const place = message === undefined ? `${kind}:${line}` : `message ${message}`;
  const location: Span[] = [
    { text: note?.id ?? (kind === "title" ? kind : place), style: "dim", whole: true },
    ...(note?.tags ?? []).flatMap((tag): Span[] => [
      { text: " " },
      { text: `#${visibleLine(tag)}`, style: "magenta" },
    ]),
    { text: "  " },
  ];
  return wrapSpans([...location, ...highlighted(hit)], "  ", "    ", screen);
}

/** Lines may be long, so show only the part around the first match. */
const maxShown = 240;

function highlighted({ text, ranges }: SearchHit): Span[] {
  const begin = Math.max(0, (ranges[0]?.[0] ?? 0) - maxShown / 3);
  const start = begin === 0 ? 0 : Math.max(begin, text.indexOf(" ", begin) + 1);
  const end = Math.min(text.length, start + maxShown);
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
    ...spans.map((span, index) => (index === 0 ? { ...span, text: span.text.trimStart() } : span)),
    ...(end < text.length ? [{ text: "…" }] : []),
  ];
}
