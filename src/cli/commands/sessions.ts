import type { Memory } from "../../sessions/memory.ts";
import { sqliteSessionSizes } from "../../stores/sqlite/disk-space.ts";
import type { SessionSummary } from "../../stores/store.ts";
import { openMemoryToRead } from "../../workspace/read-memory.ts";
import { type StoreFlags, sqliteFile } from "../../workspace/store-location.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { noArguments, readArguments } from "../arguments.ts";
import { eachSession } from "../pick-session.ts";
import { startProgress } from "../terminal/progress.ts";
import { ageOf, counted, sizeOf } from "../terminal/quantities.ts";
import { printJson, printLines, type Screen, screenOf } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";
import { dotted, wrapSpans } from "../terminal/wrap-text.ts";

type Listed = SessionSummary & { bytes: number | null };

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { all: { type: "boolean", default: false } });
  noArguments(positionals, "sessions [--all]");
  const memory = await openMemoryToRead({ flags: values });
  try {
    const found: SessionSummary[] = [];
    for await (const session of eachSession(memory, values.all ? "all" : "active")) found.push(session);
    const sizes = await readSizes(
      memory,
      values,
      found.map(({ id }) => id),
    );
    const sessions = found.map((session): Listed => ({ ...session, bytes: sizes.get(session.id) ?? null }));
    if (values.json) printJson(sessions);
    else if (sessions.length === 0) {
      console.log(
        values.all
          ? "No sessions yet."
          : `No active sessions. "holdfast sessions --all" lists archived ones.`,
      );
    } else printLines(renderTree(sessions, screenOf()));
    return 0;
  } finally {
    await memory.close();
  }
}

/** The approximate size of each session in the store, in bytes, including its history. */
async function readSizes(
  memory: Memory,
  flags: StoreFlags,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const path = sqliteFile(findWorkspace({ flags }).store);
  if (path !== undefined) return sqliteSessionSizes(path);
  const sizes = new Map<string, number>();
  const progress = startProgress("Measuring sessions", ids.length);
  for (const [index, id] of ids.entries()) {
    progress.at(index);
    const session = await memory.findSession(id);
    if (session) sizes.set(id, Buffer.byteLength(JSON.stringify(await memory.exportSession(id))));
  }
  progress.end();
  return sizes;
}

/** Children under their parents, newest first on every level. */
function renderTree(sessions: readonly Listed[], screen: Screen): string[] {
  const known = new Set(sessions.map(({ id }) => id));
  const children = Map.groupBy(sessions, ({ parent, id }) =>
    parent !== null && parent !== id && known.has(parent) ? parent : "",
  );
  const lines: string[] = [];
  const shown = new Set<string>();
  const add = (session: Listed, lead: string, branch: string, below: string) => {
    if (shown.has(session.id)) return;
    shown.add(session.id);
    const own = children.get(session.id) ?? [];
    lines.push(
      ...renderSession(session, lead + branch, `${lead}${below}${own.length > 0 ? "│ " : "  "}`, screen),
    );
    own.forEach((child, index) => {
      const last = index === own.length - 1;
      add(child, lead + below, last ? "└ " : "├ ", last ? "  " : "│ ");
    });
  };
  for (const session of children.get("") ?? []) add(session, "", "", "");
  return lines;
}

function renderSession(session: Listed, lead: string, hang: string, screen: Screen): string[] {
  const { id, title, revision, notes, status, origin, updatedAt, bytes } = session;
  const name = [{ text: id, style: "cyan" } as const];
  const heading =
    title === null ? name : [...name, { text: `  ${visibleLine(title)}`, style: "bold" } as const];
  const facts = [
    ageOf(updatedAt),
    counted(revision, "revision"),
    ...(notes > 0 ? [counted(notes, "note")] : []),
    ...(bytes === null ? [] : [sizeOf(bytes)]),
    ...(origin === "created" ? [] : [origin]),
    ...(status === "active" ? [] : [status]),
  ];
  return [...wrapSpans(heading, lead, hang, screen), ...wrapSpans(dotted(facts), hang, hang, screen)];
}
