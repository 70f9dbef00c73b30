import { revertChanges, type State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import { hostNames } from "../hosts/hosts.ts";
import { commandName } from "../hosts/install/launcher.ts";
import { findNewestLink, type SessionLink } from "../hosts/session-link.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionSummary } from "../stores/store.ts";
import { findProject } from "../workspace/project.ts";

/**
 * Finds a session by its id or a unique prefix of it; default: the one of the agent that runs the command, or else the newest
 * active session.
 */
export async function pickSession(memory: Memory, idOrPrefix: string | undefined): Promise<Session> {
  if (idOrPrefix === undefined) {
    const own = linkHere([])?.session;
    const ofAgent = own === undefined ? undefined : await memory.findSession(own);
    if (ofAgent) return ofAgent;
    const [newest] = await memory.listSessions({ limit: 1 });
    if (newest) return memory.resumeSession(newest.id);
    throw new HoldfastError(
      "session_not_found",
      `No session is active here. Start your coding agent and give it a task. "${commandName()} sessions --all" lists archived sessions.`,
    );
  }
  const exact = /^[\w.-]+$/.test(idOrPrefix) ? await findById(memory, idOrPrefix) : undefined;
  if (exact) return exact;
  const ids = (await allSessions(memory)).map(({ id }) => id);
  const candidates = ids.filter((id) => id.startsWith(idOrPrefix));
  const [only, second] = candidates;
  if (only !== undefined && second === undefined) return memory.resumeSession(only);
  if (only === undefined) {
    throw new HoldfastError(
      "session_not_found",
      `There is no session ${JSON.stringify(idOrPrefix)}, and no session id starts with it. "${commandName()} sessions --all" lists them.`,
      { data: { sessionId: idOrPrefix } },
    );
  }
  const shown = candidates.slice(0, 5).join(", ");
  const more = candidates.length > 5 ? ` and ${candidates.length - 5} more` : "";
  throw new HoldfastError(
    "invalid_input",
    `${JSON.stringify(idOrPrefix)} is ambiguous: ${candidates.length} session ids start with it (${shown}${more}). Give more of the id.`,
    { data: { candidates } },
  );
}

/** The session of the conversation that a coding agent has here, or else the one that `otherwise` finds. */
export async function currentSession(
  memory: Memory,
  otherwise: () => Promise<Session> = () => pickSession(memory, undefined),
): Promise<Session> {
  const id = currentSessionId();
  return id === undefined ? otherwise() : memory.openSession(id);
}

/** The session of the conversation that a coding agent has here; nothing may have been written to it. */
export function currentSessionId(): string | undefined {
  return linkHere(hostNames)?.session;
}

/** The link of the agent that runs this command, or else of the conversation that one of these hosts last had here. */
function linkHere(hosts: readonly string[]): SessionLink | undefined {
  const cwd = process.cwd();
  return findNewestLink({ ...findProject(cwd), cwd }, hosts);
}

async function findById(memory: Memory, id: string): Promise<Session | undefined> {
  try {
    return await memory.findSession(id);
  } catch (error) {
    // An invalid id may still be a prefix of one.
    if (error instanceof HoldfastError && error.code === "invalid_input") return undefined;
    throw error;
  }
}

/** A session's state as of a revision. */
export async function stateAt(session: Session, revision: number): Promise<State> {
  const now = await session.state();
  const later = await session.history({ from: revision + 1, to: now.row.revision });
  return later.reduce((state, { changes }) => revertChanges(state, changes), now);
}

const pageSize = 500;

/** All sessions, newest first. A store lists them in pages. */
export async function allSessions(
  memory: Memory,
  status: "all" | "active" | "deleted" = "all",
): Promise<SessionSummary[]> {
  // A session that was purged and created again meanwhile may be listed twice.
  const known = new Map<string, SessionSummary>();
  let last: SessionSummary | undefined;
  do {
    const after = last ? { after: { updatedAt: last.updatedAt, id: last.id } } : {};
    const page = await memory.listSessions({ status, limit: pageSize, ...after });
    for (const session of page) if (!known.has(session.id)) known.set(session.id, session);
    last = page.length < pageSize ? undefined : page.at(-1);
  } while (last);
  return [...known.values()];
}
