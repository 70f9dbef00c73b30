import { commandName } from "../../hosts/install/launcher.ts";
import type { HostSessions } from "../../server/hosts.ts";
import { agentName, sessionName } from "../../server/session-item.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { SessionSummary } from "../../stores/store.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { hostSessions } from "../host-sessions.ts";
import { withMemory } from "../memory.ts";
import { allSessions } from "../pick-session.ts";
import { ageOf, counted } from "../terminal/quantities.ts";
import { print, type Screen } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";

/** More sessions are listed with --all. */
const newest = 30;

/** Lists sessions, one per line, children below their parents. */
export async function sessions(args: string[]): Promise<number> {
  const { values } = readArguments("sessions", args);
  return withMemory("read", values, async (memory) => {
    const known = await allSessions(memory);
    const listed = values.all ? known : known.filter(({ status }) => status === "active");
    if (values.json) {
      print(values, listed, () => []);
      return 0;
    }
    const shown = inTree(listed).slice(0, values.all ? listed.length : newest);
    const rows = await describe(shown, known, memory);
    const left = listed.length - shown.length;
    const archived = known.length - listed.length;
    print(values, listed, (screen) => render(rows, { left, archived }, screen));
    return 0;
  });
}

interface Leaf {
  session: SessionSummary;
  depth: number;
}

/** Children under their parents, newest first on every level. */
function inTree(sessions: readonly SessionSummary[]): Leaf[] {
  const ids = new Set(sessions.map(({ id }) => id));
  const children = Map.groupBy(sessions, ({ parent }) => (parent !== null && ids.has(parent) ? parent : ""));
  const add = (parent: string, depth: number): Leaf[] =>
    (children.get(parent) ?? []).flatMap((session) => [{ session, depth }, ...add(session.id, depth + 1)]);
  return add("", 0);
}

type Row = [id: string, title: string, agent: string, changed: string];

async function describe(
  shown: readonly Leaf[],
  known: readonly SessionSummary[],
  memory: Memory,
): Promise<Row[]> {
  const agents = hostSessions(findProject(process.cwd()));
  const length = prefixLength(known.map(({ id }) => id));
  const rows: Row[] = [];
  for (const { session, depth } of shown) {
    const lead = depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `;
    const name = await sessionName({ hosts: agents }, session, await memory.findSession(session.id));
    rows.push([
      session.id.slice(0, length),
      `${lead}${name || "(no title)"}`,
      agentAndStatus(session, agents),
      ageOf(session.updatedAt),
    ]);
  }
  return rows;
}

function agentAndStatus(session: SessionSummary, agents: HostSessions): string {
  const agent = agentName(session, agents);
  return session.status === "active" ? agent : `${agent}, ${session.status}`;
}

/** A beginning has a part of the id after the name of the coding agent. */
const shortest = 16;

/** The length from which on the beginning of every id is unique, so that it can be used instead of the id. */
function prefixLength(ids: readonly string[]): number {
  const longest = Math.max(shortest, ...ids.map((id) => id.length));
  for (let length = shortest; length < longest; length++)
    if (new Set(ids.map((id) => id.slice(0, length))).size === ids.length) return length;
  return longest;
}

function render(
  rows: readonly Row[],
  { left, archived }: { left: number; archived: number },
  screen: Screen,
): string[] {
  const more = [
    left > 0 ? `${counted(left, "older session")} not shown` : "",
    archived > 0 ? counted(archived, "archived session") : "",
  ].filter((part) => part !== "");
  const hint = more.length > 0 ? [`${more.join(", ")}: ${commandName()} sessions --all`] : [];
  if (rows.length === 0)
    return ["No session is active here. Start your coding agent and give it a task.", ...hint];
  const columns = [
    { title: "SESSION", style: "cyan" },
    { title: "TITLE", isWide: true },
    { title: "AGENT" },
    { title: "CHANGED", style: "dim" },
  ] as const;
  return [...renderTable(columns, rows, screen), ...(hint.length > 0 ? ["", ...hint] : [])];
}
