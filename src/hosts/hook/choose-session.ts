import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Project } from "../../workspace/project.ts";
import { findLink, type LinkPlace, linkSession, memoryOf, sessionIdOf } from "../session-link.ts";
import { readPart } from "../transcript/json-files.ts";
import type { HookEvent } from "./event.ts";

/**
 * Chooses the session of the host's conversation. A new conversation gets a new session. A resumed or compacted one keeps
 * its session, `/clear` passes it to the next conversation, and a fork gets a copy.
 */
export async function chooseSession(
  event: HookEvent,
  { directory }: Project,
  openMemory: () => Promise<Memory | undefined>,
): Promise<string> {
  const { hostSession, cwd, kind, source } = event;
  const host = event.host.name;
  const here = { directory, cwd, host, hostSession };
  const isOwn = memoryOf(directory, host, hostSession) === sessionIdOf(host, hostSession);
  if (kind !== "session-start" || source === "startup" || !isOwn) return linkSession(here);
  const previous = previousSession(event, here);
  if (source === "clear") return linkSession({ ...here, continues: previous });
  // Link before querying the database, which may be slow.
  const own = linkSession(here);
  const memory = await openMemory();
  if (!memory || (await memory.findSession(own))) return own;
  const parent = parentSession(event, directory, previous);
  if (parent === undefined) return own;
  if (source !== "fork") return linkSession({ ...here, continues: parent });
  await fork(memory, parent, own);
  return own;
}

function previousSession({ host, hostSession }: HookEvent, place: LinkPlace): string | undefined {
  const link = findLink(place, host.name);
  return link && link.hostSession !== hostSession ? link.session : undefined;
}

/** The session of the parent conversation: named by the host, by the transcript, or else the last one here. */
function parentSession(
  event: HookEvent,
  directory: string,
  previous: string | undefined,
): string | undefined {
  const named = event.parent || copiedFrom(event);
  if (named !== "") return memoryOf(directory, event.host.name, named);
  return event.source === "resume" ? undefined : previous;
}

/** A copied transcript names the conversation it was copied from. */
function copiedFrom({ transcript, hostSession }: HookEvent): string {
  const start = readPart(transcript, { until: 256_000 }) ?? "";
  const ids = [...start.matchAll(/"(?:sessionId|forked_from_id)"\s*:\s*"([\w-]{1,100})"/g)].map(
    ([, id = ""]) => id,
  );
  return ids.find((id) => id !== hostSession) ?? "";
}

async function fork(memory: Memory, parent: string, id: string): Promise<void> {
  try {
    await memory.forkSession(parent, { id });
  } catch (error) {
    // The parent never wrote anything, or another hook created the fork first.
    const code = error instanceof HoldfastError ? error.code : "";
    if (code !== "session_not_found" && code !== "session_exists") throw error;
  }
}
