import { statSync } from "node:fs";
import { warnFrom } from "../compaction/usage.ts";
import { warningStart } from "../compaction/warning.ts";
import { fromStored, type StoredMessage, spokenText } from "../context/conversation.ts";
import { oneLine } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import { compactionLimit } from "../hosts/context-fill.ts";
import { readFailures } from "../hosts/failures.ts";
import { readHookState } from "../hosts/hook/state.ts";
import type { Host } from "../hosts/host.ts";
import { findHost, hostOfSession } from "../hosts/hosts.ts";
import { readPart } from "../hosts/transcript/json-files.ts";
import { continuedIn, readTranscripts, transcriptsOf } from "../hosts/transcript/past-conversation.ts";
import { readConversation, readTranscriptSpans } from "../hosts/transcript/read-conversation.ts";
import { type RecordedSession, readRecordedSession } from "../hosts/transcript/recorded-session.ts";
import type { HostConversation, HostMessage, HostSessions } from "../server/hosts.ts";
import type { Project } from "../workspace/project.ts";

/** A larger transcript is not read whole. */
const maxBytes = 200_000_000;
/** Enough of a transcript to find its first ask. */
const headBytes = 400_000;
const maxAskLength = 90;
const maxCached = 8;
/** Enough of a transcript's end for its newest calls. */
const tailBytes = 600_000;
/** Transcripts do not name the model's window. */
const usualWindow = 200_000;
const longWindow = 1_000_000;

interface Cached {
  stamp: string;
  conversation: Promise<HostConversation | undefined>;
}

/** The transcripts of a session, as they are now. */
interface Transcribed {
  host: Host;
  /** The one that was used last. */
  path: string;
  /** Those of the conversations before it, which had the same memory. */
  earlier: ReturnType<typeof transcriptsOf>;
  stamp: string;
}

/** Reads the conversations of the coding agents of a project, for the inspector. */
export function hostSessions({ directory, root }: Project): HostSessions {
  const asks = new Map<string, string>();
  const tails = new Map<string, Cached>();
  const cached = new Map<string, Cached>();

  const transcriptsFor = transcriptsIn(directory);
  const locate = (sessionId: string): Transcribed | undefined => {
    if (!hostOfSession(sessionId)) return undefined;
    const found = transcriptsFor(sessionId).flatMap((each) => {
      const stamp = stampOf(each.path);
      return stamp === undefined ? [] : [{ each, stamp }];
    });
    const newest = found.at(-1)?.each;
    if (!newest) return undefined;
    const earlier = found.slice(0, -1).map(({ each }) => each);
    return { ...newest, earlier, stamp: found.map(({ stamp }) => stamp).join() };
  };
  const known = ({ path, stamp }: Transcribed) => {
    const entry = cached.get(path);
    return entry?.stamp === stamp ? entry.conversation : undefined;
  };
  const read = ({ host, path, earlier, stamp }: Transcribed) => {
    const conversation = readWhole(host, path, root).then((last) => continueFrom(earlier, last));
    cached.set(path, { stamp, conversation });
    const oldest = cached.size > maxCached ? cached.keys().next().value : undefined;
    if (oldest !== undefined) cached.delete(oldest);
    return conversation;
  };

  return {
    about(sessionId) {
      const host = hostOfSession(sessionId);
      if (!host) return undefined;
      const place = transcriptsFor(sessionId).at(-1);
      const ask = place ? (asks.get(place.path) ?? firstAsk(host, place.path)) : "";
      if (place && ask !== "") asks.set(place.path, ask);
      const hooks = readHookState(directory, host.name, sessionId.slice(host.name.length + 1));
      const isInTurn = hooks?.last ? hooks.turn !== undefined : undefined;
      return { host: host.title, project: place?.cwd ?? "", ask, isInTurn };
    },

    async recent(sessionId) {
      const found = locate(sessionId);
      if (!found?.host.recording) return undefined;
      const whole = known(found);
      if (whole) return whole;
      const { path, stamp } = found;
      const entry = tails.get(path);
      if (entry?.stamp === stamp) return entry.conversation;
      const conversation = readEnd(found.host, path, root);
      tails.set(path, { stamp, conversation });
      return conversation;
    },

    limits(sessionId, { model, tokens }) {
      const host = hostOfSession(sessionId);
      const compactAt = host && limitOf(host, root, model, tokens);
      return compactAt === undefined ? undefined : { warnAt: warnFrom(compactAt), compactAt };
    },

    async conversation(sessionId) {
      const found = locate(sessionId);
      return found && (known(found) ?? read(found));
    },

    async messages(sessionId, mayMatch) {
      const found = locate(sessionId);
      if (!found) return [];
      const isWanted = () => [...found.earlier, found].some(({ path }) => mayMatch(readText(path)));
      const conversation = await (known(found) ?? (isWanted() ? read(found) : undefined));
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

/** The user's first message. "" if the transcript has none. */
function firstAsk(host: Host, path: string): string {
  const [first] = readTranscriptSpans(host, path, { until: headBytes }) ?? [];
  const asked = first?.messages.find(
    (message) => message.role === "user" && spokenText(message).trim() !== "",
  );
  return asked ? oneLine(spokenText(asked), maxAskLength) : "";
}

async function readWhole(host: Host, path: string, root: string): Promise<HostConversation> {
  const text = host.recording ? readText(path) : "";
  const { lines, injected } = withInjections(text);
  const recorded = text === "" ? undefined : await readRecording(lines);
  if (recorded && recorded.calls.length > 0)
    return fromRecording(recorded, injected, (model, tokens) => limitOf(host, root, model, tokens));
  const spans = readTranscriptSpans(host, path) ?? [];
  const messages: HostMessage[] = [];
  const compactions: { to: number; summary: string }[] = [];
  for (const [index, { summary, messages: span }] of spans.entries()) {
    if (index > 0) compactions.push({ to: messages.length, summary });
    for (const message of span) messages.push(toHostMessage({ number: messages.length + 1, message, at: 0 }));
  }
  return { messages, calls: [], compactions, earlier: 0 };
}

/** A conversation after those that had its memory before, for example before `/clear`. */
function continueFrom(transcripts: Transcribed["earlier"], last: HostConversation): HostConversation {
  if (transcripts.length === 0) return last;
  const before = readTranscripts(transcripts).messages.map(toHostMessage);
  const earlier = before.length;
  return {
    messages: [...before, ...last.messages.map((each) => ({ ...each, number: each.number + earlier }))],
    calls: last.calls.map((call) => ({ ...call, from: call.from + earlier, to: call.to + earlier })),
    compactions: last.compactions.map((each) => ({ ...each, to: each.to + earlier })),
    earlier,
  };
}

/** How long the list of links is trusted (milliseconds): a list of sessions asks for each of them. */
const linksFor = 1_000;

function transcriptsIn(directory: string): (sessionId: string) => ReturnType<typeof transcriptsOf> {
  let [readAt, continued] = [Date.now(), continuedIn(directory)];
  return (sessionId) => {
    if (Date.now() - readAt > linksFor) [readAt, continued] = [Date.now(), continuedIn(directory)];
    return transcriptsOf(directory, sessionId, continued);
  };
}

/** The tokens at which a host compacts by itself. */
function limitOf(host: Host, root: string, model: string, tokens: number): number | undefined {
  return compactionLimit(host, { model, tokens, window: undefined, isCurrent: true }, root);
}

/** The newest calls, from the end of the transcript. */
async function readEnd(host: Host, path: string, root: string): Promise<HostConversation | undefined> {
  const text = readPart(path, { maxBytes: tailBytes }) ?? "";
  const recorded = text === "" ? undefined : await readRecording(text);
  if (!recorded || recorded.calls.length === 0) return undefined;
  return fromRecording(recorded, new Set(), (model, tokens) => limitOf(host, root, model, tokens));
}

/**
 * Claude Code records what hooks injected as attachments. They become messages, so that each call has them where the model
 * got them.
 */
function withInjections(text: string): { lines: string; injected: ReadonlySet<string> } {
  const injected = new Set<string>();
  if (!text.includes('"hook_additional_context"')) return { lines: text, injected };
  const lines = text.split("\n").map((line) => {
    if (!line.includes('"hook_additional_context"')) return line;
    try {
      const { attachment, ...common } = JSON.parse(line) as { attachment?: { content?: unknown } };
      const texts: unknown[] = Array.isArray(attachment?.content) ? attachment.content : [];
      const content = texts.find((each) => typeof each === "string" && isInjected(each));
      if (typeof content !== "string") return line;
      injected.add(content);
      return JSON.stringify({ ...common, type: "user", message: { role: "user", content } });
    } catch {
      return line;
    }
  });
  return { lines: lines.join("\n"), injected };
}

/** How the texts that our hooks inject begin: memory, and the warning. */
function isInjected(text: string): boolean {
  return text.startsWith("[Holdfast]") || text.startsWith(warningStart);
}

/** Undefined for a transcript that cannot be read. */
async function readRecording(text: string): Promise<RecordedSession | undefined> {
  try {
    return await readRecordedSession(text);
  } catch (error) {
    if (error instanceof HoldfastError) return undefined;
    throw error;
  }
}

function fromRecording(
  { messages, calls, compactions }: RecordedSession,
  injected: ReadonlySet<string>,
  limitFor: (model: string, tokens: number) => number | undefined,
): HostConversation {
  const isMemory = ({ role, content }: StoredMessage["message"]) =>
    role === "user" && typeof content === "string" && (injected.has(content) || isInjected(content));
  const sizes = calls.map(({ usage }) => usage.input + usage.cacheRead + usage.cacheWrite);
  const limit = limitFor(calls.at(-1)?.model ?? "", Math.max(0, ...sizes));
  const isLong = Math.max(0, limit ?? 0, ...sizes) > usualWindow;
  const contextWindow = isLong ? longWindow : usualWindow;
  return {
    messages: messages.map((each) => ({
      ...toHostMessage(each),
      ...(isMemory(each.message) ? { isMemory: true } : {}),
    })),
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
    earlier: 0,
  };
}

function toHostMessage({ number, message, at }: StoredMessage): HostMessage {
  return { number, stored: fromStored(message, at) };
}

/** "" if the host dropped it meanwhile. */
function readText(path: string): string {
  return readPart(path, { maxBytes }) ?? "";
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
