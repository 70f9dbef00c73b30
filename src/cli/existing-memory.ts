import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { HoldfastError } from "../errors.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import { chosenStore, openChosenMemory, type StoreOptions } from "./arguments.ts";

/** The chosen memory for a command that looks at what is there: it never makes an empty one by the way. */
export async function openExistingMemory(values: StoreOptions): Promise<Memory> {
  const store = chosenStore(values);
  const place = sqlitePath(store) ?? /^jsonl:(?:\/\/(?=\/))?(.+)$/.exec(store)?.[1];
  if (place !== undefined && !existsSync(place)) {
    throw new HoldfastError(
      "not_found",
      `There is no memory at ${resolve(place)} yet. Run "holdfast init" in the project, or name one with --db or --store.`,
      { data: { store } },
    );
  }
  return openChosenMemory(values);
}

/** The file of a SQLite store; undefined for every other store. */
export function sqlitePath(store: string): string | undefined {
  const path = /^(?:sqlite:(?:\/\/(?=\/))?|(?![a-z][a-z0-9+-]+:))([^?]+)/.exec(store)?.[1];
  return path === ":memory:" ? undefined : path;
}

/** The session of that id or of the only id that begins so; the newest active one when none is named. */
export async function pickSession(memory: Memory, wanted: string | undefined): Promise<Session> {
  if (wanted === undefined) {
    const [newest] = await memory.listSessions({ limit: 1 });
    if (newest) return memory.resumeSession(newest.id);
    throw new HoldfastError(
      "session_not_found",
      `There is no active session here yet. "holdfast sessions --all" lists archived ones too.`,
    );
  }
  const exact = /^[\w.-]+$/.test(wanted) ? await findExactly(memory, wanted) : undefined;
  if (exact) return exact;
  const candidates: string[] = [];
  for await (const { id } of eachSession(memory)) if (id.startsWith(wanted)) candidates.push(id);
  const [only, second] = candidates;
  if (only !== undefined && second === undefined) return memory.resumeSession(only);
  if (only === undefined) {
    throw new HoldfastError(
      "session_not_found",
      `There is no session ${JSON.stringify(wanted)}, and none whose id begins so. "holdfast sessions --all" lists them.`,
      { data: { sessionId: wanted } },
    );
  }
  const shown = candidates.slice(0, 5).join(", ");
  const more = candidates.length > 5 ? ` and ${candidates.length - 5} more` : "";
  throw new HoldfastError(
    "invalid_input",
    `${JSON.stringify(wanted)} begins the ids of ${candidates.length} sessions: ${shown}${more}. Write more of the one you mean.`,
    { data: { candidates } },
  );
}

async function findExactly(memory: Memory, id: string): Promise<Session | undefined> {
  try {
    return await memory.findSession(id);
  } catch (error) {
    // What cannot be an id may still begin one.
    if (error instanceof HoldfastError && error.code === "invalid_input") return undefined;
    throw error;
  }
}

const pageSize = 500;

/** Sessions newest first, a page at a time. */
export async function* eachSession(memory: Memory, status: "all" | "active" | "deleted" = "all") {
  const seen = new Set<string>();
  for (let offset = 0; ; offset += pageSize) {
    const page = await memory.listSessions({ status, limit: pageSize, offset });
    for (const session of page) {
      // One that is written to meanwhile moves to the front and may come up again.
      if (!seen.has(session.id)) yield session;
      seen.add(session.id);
    }
    if (page.length < pageSize) return;
  }
}

/** One positional argument or none. */
export function atMostOne(positionals: string[], name: string, usage: string): string | undefined {
  const [value, ...rest] = positionals;
  if (rest.length === 0) return value;
  throw new HoldfastError("invalid_input", `There is more than one ${name}. Usage: holdfast ${usage}`);
}
