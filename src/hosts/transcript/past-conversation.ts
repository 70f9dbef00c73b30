import { statSync } from "node:fs";
import { join } from "node:path";
import type { StoredMessage } from "../../context/conversation.ts";
import { ownConversation } from "../../surfaces/recall/tools.ts";
import type { PastConversation, ReadConversation } from "../../surfaces/surface.ts";
import { namesIn, readSmallFile } from "../../workspace/small-file.ts";
import type { Host } from "../host.ts";
import { findHost, hostOfSession } from "../hosts.ts";
import { readPart } from "./file.ts";
import { readSpans } from "./read-conversation.ts";
import { readRecordedSession } from "./recorded-session.ts";

/** A transcript of a session, and when it was last used. */
interface Transcript {
  host: Host;
  path: string;
  used: number;
}

/**
 * Reads the conversation of a coding agent from its transcripts: that of the session, and of every conversation that
 * continued its memory. They are found through the links that hooks wrote, and nothing else is read.
 */
export function hostConversation(directory: string): ReadConversation {
  let last: { stamp: string; conversation: PastConversation } | undefined;
  return async (session) => {
    const { id } = (await session.state()).row;
    const transcripts = transcriptsOf(directory, id);
    if (transcripts.length === 0) return ownConversation(session);
    const stamp = transcripts.map(({ path }) => stampOf(path)).join();
    if (last?.stamp !== stamp) last = { stamp, conversation: readTranscripts(transcripts) };
    return last.conversation;
  };
}

function transcriptsOf(directory: string, sessionId: string): Transcript[] {
  const folder = join(directory, "links");
  const own = { name: `${sessionId}.json`, host: hostOfSession(sessionId) };
  const continued = namesIn(folder).flatMap((name) => {
    const alias = name.startsWith("session-") ? readSmallFile(join(folder, name)) : undefined;
    if (alias?.session !== sessionId) return [];
    return [{ name: name.slice("session-".length), host: findHost(String(alias.host)) }];
  });
  return [own, ...continued]
    .flatMap(({ name, host }): Transcript[] => {
      const file = join(folder, `state-${name}`);
      const path = readSmallFile(file)?.transcript;
      if (!host?.transcript || typeof path !== "string" || path === "") return [];
      return [{ host, path, used: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }];
    })
    .sort((a, b) => a.used - b.used);
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
    for (const { messages: span, times } of readSpans(host, path, { maxBytes }) ?? []) {
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
