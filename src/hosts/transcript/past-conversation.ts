import { statSync } from "node:fs";
import { join } from "node:path";
import type { StoredMessage } from "../../context/conversation.ts";
import { ownConversation } from "../../surfaces/recall/tools.ts";
import type { PastConversation, ReadConversation } from "../../surfaces/surface.ts";
import { namesIn, readSmallFile } from "../../workspace/small-file.ts";
import type { Host } from "../host.ts";
import { findHost, hostOfSession } from "../hosts.ts";
import { readPart } from "./json-files.ts";
import { readTranscriptSpans } from "./read-conversation.ts";
import { readRecordedSession } from "./recorded-session.ts";

/** A transcript of a session, as the hooks of one of its conversations reported it last. */
interface Transcript {
  host: Host;
  /** "" if the hooks named none. */
  path: string;
  cwd: string;
  used: number;
}

/** A conversation that continues the memory of another one. */
interface Continued {
  session: unknown;
  /** The name of its state file. */
  name: string;
  host: Host | undefined;
}

/**
 * Reads the conversation of a coding agent from its transcripts: that of the session, and of every conversation that
 * continued its memory. They are found through the links that hooks wrote, and nothing else is read.
 */
export function hostConversation(directory: string): ReadConversation {
  let last: { stamp: string; conversation: PastConversation } | undefined;
  return async (session) => {
    const { id } = (await session.state()).row;
    const transcripts = transcriptsOf(directory, id).filter(({ host, path }) => host.transcript && path);
    if (transcripts.length === 0) return ownConversation(session);
    const stamp = transcripts.map(({ path }) => stampOf(path)).join();
    if (last?.stamp !== stamp) last = { stamp, conversation: readTranscripts(transcripts) };
    return last.conversation;
  };
}

/** The transcripts of a session and of every conversation that continued its memory, the last used one last. */
export function transcriptsOf(
  directory: string,
  sessionId: string,
  continued: readonly Continued[] = continuedIn(directory),
): Transcript[] {
  const own = { session: sessionId, name: `${sessionId}.json`, host: hostOfSession(sessionId) };
  return [own, ...continued.filter(({ session }) => session === sessionId)]
    .flatMap(({ name, host }): Transcript[] => {
      const file = join(directory, "links", `state-${name}`);
      const { transcript: path, cwd } = readSmallFile(file) ?? {};
      if (!host || typeof path !== "string") return [];
      const used = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      return [{ host, path, cwd: typeof cwd === "string" ? cwd : "", used }];
    })
    .sort((a, b) => a.used - b.used);
}

/** The conversations of a project that continue the memory of another one. */
export function continuedIn(directory: string): Continued[] {
  const folder = join(directory, "links");
  return namesIn(folder)
    .filter((name) => name.startsWith("session-"))
    .map((name) => {
      const link = readSmallFile(join(folder, name));
      return {
        session: link?.session,
        name: name.slice("session-".length),
        host: findHost(String(link?.host)),
      };
    });
}

/** Reads the conversation from the transcript that its last compaction named, for a plugin inside the host. */
export const transcriptConversation: ReadConversation = async (session) => {
  const removed = (await session.records("removed")).sort((a, b) => Number(a.key) - Number(b.key)).at(-1);
  const path = removed?.value.transcript ?? "";
  const text = path === "" ? undefined : readPart(path, { maxBytes });
  if (text === undefined) return ownConversation(session);
  const { messages, compactions } = await readRecordedSession(text);
  return { messages, contextFrom: (compactions.at(-1)?.keptFrom ?? messages.length) + 1 };
};

/** A longer transcript is read from its end: its beginning would take seconds. */
const maxBytes = 100_000_000;

export function readTranscripts(transcripts: readonly Pick<Transcript, "host" | "path">[]): PastConversation {
  const messages: StoredMessage[] = [];
  let contextFrom = 1;
  for (const { host, path } of transcripts)
    for (const { messages: span, times } of readTranscriptSpans(host, path, { maxBytes }) ?? []) {
      contextFrom = messages.length + 1;
      for (const [index, message] of span.entries())
        messages.push({ number: messages.length + 1, message, at: times[index] ?? 0 });
    }
  return { messages, contextFrom };
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? `${path} ${stat.ino}.${stat.mtimeNs}.${stat.size}` : path;
}
