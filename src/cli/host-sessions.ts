import { readFileSync, statSync } from "node:fs";
import { fromStored, type StoredMessage, spokenText } from "../context/conversation.ts";
import { oneLine } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import { readFailures } from "../hosts/failures.ts";
import type { Host } from "../hosts/host.ts";
import { findHost } from "../hosts/hosts.ts";
import { type RecordedSession, readRecordedSession } from "../hosts/recorded-session.ts";
import { hostOfSession, placeOfSession } from "../hosts/session-transcript.ts";
import { readConversation, readSpans } from "../hosts/transcript/read-conversation.ts";
import type { HostConversation, HostMessage, HostSessions } from "../server/host-sessions.ts";
import type { Project } from "../workspace/project.ts";

/** A larger transcript is not read whole. */
const maxBytes = 200_000_000;
/** Enough of a transcript to find its first ask. */
const headBytes = 400_000;
const maxAskLength = 90;
const maxCached = 8;
/** Transcripts do not name the model's window. */
const usualWindow = 200_000;
const longWindow = 1_000_000;

interface Cached {
  stamp: string;
  conversation: Promise<HostConversation | undefined>;
}

/** The transcript of a session, as it is now. */
interface Transcribed {
  host: Host;
  path: string;
  stamp: string;
}

/** Reads the conversations of the coding agents of a project, for the inspector. */
export function hostSessions({ directory }: Project): HostSessions {
  const asks = new Map<string, string>();
  const cached = new Map<string, Cached>();

  const locate = (sessionId: string) => {
    const host = hostOfSession(sessionId);
    const path = host && placeOfSession(directory, sessionId)?.transcript;
    const stamp = path === undefined ? undefined : stampOf(path);
    return host && path !== undefined && stamp !== undefined ? { host, path, stamp } : undefined;
  };
  const known = ({ path, stamp }: Transcribed) => {
    const entry = cached.get(path);
    return entry?.stamp === stamp ? entry.conversation : undefined;
  };
  const read = ({ host, path, stamp }: Transcribed) => {
    const conversation = readWhole(host, path);
    cached.set(path, { stamp, conversation });
    const oldest = cached.size > maxCached ? cached.keys().next().value : undefined;
    if (oldest !== undefined) cached.delete(oldest);
    return conversation;
  };

  return {
    about(sessionId) {
      const host = hostOfSession(sessionId);
      if (!host) return undefined;
      const place = placeOfSession(directory, sessionId);
      const ask = place ? (asks.get(place.transcript) ?? firstAsk(host, place.transcript)) : "";
      if (place && ask !== "") asks.set(place.transcript, ask);
      return { host: host.title, project: place?.cwd ?? "", ask };
    },

    async conversation(sessionId) {
      const found = locate(sessionId);
      return found && (known(found) ?? read(found));
    },

    async messages(sessionId, mayMatch) {
      const found = locate(sessionId);
      if (!found) return [];
      const conversation = await (known(found) ?? (mayMatch(readText(found.path)) ? read(found) : undefined));
      return conversation?.messages ?? [];
    },

    removed(sessionId, transcript, size) {
      const host = hostOfSession(sessionId);
      const span =
        host && transcript !== "" ? readConversation(host, transcript, { until: size }) : undefined;
      return (span?.messages ?? []).map(toHostMessage);
    },

    failures: () =>
      readFailures(directory).map(({ at, host, event, message }) => ({
        at,
        host: findHost(host)?.title ?? host,
        event,
        message,
      })),
  };
}

/** What the user asked first; "" if the transcript does not say. */
function firstAsk(host: Host, path: string): string {
  const [first] = readSpans(host, path, { until: headBytes }) ?? [];
  const asked = first?.messages.find(
    (message) => message.role === "user" && spokenText(message).trim() !== "",
  );
  return asked ? oneLine(spokenText(asked), maxAskLength) : "";
}

async function readWhole(host: Host, path: string): Promise<HostConversation | undefined> {
  const recorded = host.recording ? await readRecording(path) : undefined;
  if (recorded && recorded.calls.length > 0) return fromRecording(recorded);
  const spans = readSpans(host, path) ?? [];
  const messages: HostMessage[] = [];
  const compactions: { to: number; summary: string }[] = [];
  for (const [index, { summary, messages: span }] of spans.entries()) {
    if (index > 0) compactions.push({ to: messages.length, summary });
    for (const message of span) messages.push(toHostMessage({ number: messages.length + 1, message, at: 0 }));
  }
  return { messages, calls: [], compactions };
}

/** Undefined for a transcript that cannot be read. */
async function readRecording(path: string): Promise<RecordedSession | undefined> {
  try {
    return await readRecordedSession(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof HoldfastError) return undefined;
    throw error;
  }
}

function fromRecording({ messages, calls, compactions }: RecordedSession): HostConversation {
  const isLong = calls.some(({ usage }) => usage.input + usage.cacheRead + usage.cacheWrite > usualWindow);
  const contextWindow = isLong ? longWindow : usualWindow;
  return {
    messages: messages.map(toHostMessage),
    calls: calls.map(({ model, usage, messages: sent, answeredAt }) => {
      const before = compactions.filter((each) => each.messages <= sent);
      return {
        at: answeredAt,
        model,
        usage: {
          input: usage.input + usage.cacheRead + usage.cacheWrite,
          cached: usage.cacheRead,
          written: usage.cacheWrite,
          output: usage.output,
        },
        contextWindow,
        from: (before.at(-1)?.keptFrom ?? 0) + 1,
        to: sent,
        compactions: before.length,
      };
    }),
    compactions: compactions.map(({ keptFrom, summary }) => ({ to: keptFrom, summary })),
  };
}

function toHostMessage({ number, message, at }: StoredMessage): HostMessage {
  return { number, stored: fromStored(message, at) };
}

/** "" if the host dropped it meanwhile. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Changes with the file; undefined if it cannot be read whole. */
function stampOf(path: string): string | undefined {
  try {
    const file = statSync(path);
    const { mtimeMs, size } = file;
    return size > maxBytes || !file.isFile() ? undefined : `${mtimeMs} ${size}`;
  } catch {
    // The host may have dropped its transcript.
    return undefined;
  }
}
