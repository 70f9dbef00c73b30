import { HoldfastError } from "../errors.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";

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
