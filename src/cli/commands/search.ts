import type { HostSessions } from "../../server/hosts.ts";
import { sessionName } from "../../server/session-item.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { type SearchHit, SessionSearch } from "../../sessions/session-search.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments, usageError, wholeNumber } from "../arguments.ts";
import { hostSessions } from "../host-sessions.ts";
import { withMemory } from "../memory.ts";
import { allSessions, pickSession } from "../pick-session.ts";
import { startProgress } from "../terminal/progress.ts";
import { ageOf } from "../terminal/quantities.ts";
import { print, type Screen } from "../terminal/screen.ts";
import { visibleLine, visibleText } from "../terminal/visible-text.ts";
import { dotted, wrapLine } from "../terminal/wrap-text.ts";

/** Lists the lines of every session that match, best first. */
export async function search(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("search", args);
  const query = positionals.join(" ").trim();
  if (query === "") throw usageError("search", "QUERY is empty");
  const limit = wholeNumber(values.limit, "limit", 1) ?? 20;
  const hosts = hostSessions(findProject(process.cwd()));
  return withMemory("change", values, async (memory) => {
    const perSession = values.session === undefined ? {} : { perSession: limit };
    const search = new SessionSearch({ query, limit, ...perSession });
    for await (const session of sessionsToSearch(memory, values.session))
      await search.add(session, (mayMatch) => hosts.messages(session.id, mayMatch));
    const { total } = search;
    const hits = search.hits();
    const found = values.json ? [] : await inSessions(hits, memory, hosts);
    print(values, { query, total, hits: hits.map(toJson) }, (screen) => render(found, total, query, screen));
    return 0;
  });
}

async function* sessionsToSearch(memory: Memory, idOrPrefix: string | undefined): AsyncGenerator<Session> {
  if (idOrPrefix !== undefined) {
    yield await pickSession(memory, idOrPrefix);
    return;
  }
  const known = await allSessions(memory);
  const progress = startProgress("Searching", known.length);
  for (const [done, { id }] of known.entries()) {
    progress.at(done);
    const session = await memory.findSession(id);
    if (session) yield session;
  }
  progress.end();
}

/** The matches in one session. */
interface Found {
  id: string;
  name: string;
  updatedAt: number;
  hits: readonly SearchHit[];
}

async function inSessions(
  hits: readonly SearchHit[],
  memory: Memory,
  agents: HostSessions,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const [id, group] of Map.groupBy(hits, ({ session }) => session.id)) {
    const session = await memory.resumeSession(id);
    const { row } = await session.state();
    const name = await sessionName({ hosts: agents }, row, session);
    found.push({ id, name, updatedAt: row.updatedAt, hits: group });
  }
  return found;
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

/** The matches of each session under its id and name. */
function render(found: readonly Found[], total: number, query: string, screen: Screen): string[] {
  const { paint } = screen;
  if (total === 0) return [`No matches for ${JSON.stringify(visibleLine(query))}.`];
  const shown = found.reduce((sum, { hits }) => sum + hits.length, 0);
  return [
    ...found.flatMap(({ id, name, updatedAt, hits }, index) => [
      ...(index === 0 ? [] : [""]),
      [paint("cyan", id), paint("bold", visibleLine(name)), paint("dim", dotted([ageOf(updatedAt)]))]
        .filter((part) => part !== "")
        .join("  "),
      ...hits.flatMap((hit) => wrapLine(renderHit(hit, paint), screen, "    ")),
    ]),
    ...(total > shown
      ? ["", `${total - shown} more: raise --limit, or search one session with --session.`]
      : []),
  ];
}

function renderHit(hit: SearchHit, paint: Screen["paint"]): string {
  const { kind, note, message, line } = hit;
  const place = message === undefined ? `${kind}:${line}` : `message ${message}`;
  const where = paint("dim", note?.id ?? (kind === "title" ? kind : place));
  const tags = (note?.tags ?? []).map((tag) => ` ${paint("magenta", `#${visibleLine(tag)}`)}`);
  return `  ${where}${tags.join("")}  ${highlighted(hit, paint)}`;
}

/** Lines may be long, so show only the part around the first match. */
const maxShown = 240;

function highlighted({ text, ranges }: SearchHit, paint: Screen["paint"]): string {
  const begin = Math.max(0, (ranges[0]?.[0] ?? 0) - maxShown / 3);
  const start = begin === 0 ? 0 : Math.max(begin, text.indexOf(" ", begin) + 1);
  const end = Math.min(text.length, start + maxShown);
  let shown = "";
  let at = start;
  for (const [from, to] of ranges) {
    if (from < at || to > end) continue;
    shown += visibleText(text.slice(at, from));
    shown += paint(["bold", "yellow"], visibleText(text.slice(from, to)));
    at = to;
  }
  shown += visibleText(text.slice(at, end).toWellFormed());
  return `${start > 0 ? "…" : ""}${shown.trimStart()}${end < text.length ? "…" : ""}`;
}
