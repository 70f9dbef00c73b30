import type { ModelMessage } from "ai";
import type { StoredMessage } from "../../context/conversation.ts";
import { HoldfastError } from "../../errors.ts";
import { homeFolder } from "../../state-folder.ts";
import type { Host } from "../host.ts";
import { hosts } from "../hosts.ts";
import { type LineWarning, parseJsonLines, timeIn } from "./json-files.ts";

type Line = Record<string, unknown>;

/** Reads the recorded sessions of one host. */
export interface Recording {
  /** Whether the host has written these lines. */
  matches(lines: readonly Line[]): boolean;
  /** The events of the session, in order (default: the messages and summaries of the transcript). */
  read?(lines: readonly Line[], text: string): RecordedEvent[];
}

/** One event of a recorded session. */
export type RecordedEvent =
  | { type: "message"; message: ModelMessage; at: number; call?: ModelCall }
  | {
      type: "compaction";
      summary: string;
      /** Number of messages before the first one kept; undefined if none was kept. */
      keptFrom?: number | undefined;
    };

/** A model call as a host recorded it. */
export interface ModelCall {
  /** Shared by all messages of one call; "" if the host records none. */
  id: string;
  model: string;
  /** The provider's token counts. `input` excludes tokens read from or written to the cache. */
  usage: { input: number; cacheWrite: number; cacheRead: number; output: number };
}

/** One model call with its recorded usage. */
export interface RecordedCall extends Omit<ModelCall, "id"> {
  /** Number of messages before it. */
  messages: number;
  /** In milliseconds; 0 when unknown. */
  answeredAt: number;
}

export interface RecordedCompaction {
  /** Number of messages before it. */
  messages: number;
  /** Index of the first message that stayed in the prompt. */
  keptFrom: number;
  summary: string;
}

/** A recorded session of any host. */
export interface RecordedSession {
  /** The name of the host that wrote it. */
  format: string;
  /** In order; `number` is the index plus one. */
  messages: StoredMessage[];
  /** Empty if the host records no token usage. */
  calls: RecordedCall[];
  compactions: RecordedCompaction[];
}

/** Reads a recorded session of the first host that takes its lines for its own. Skips unreadable lines. */
export async function readRecordedSession(text: string): Promise<RecordedSession> {
  const { lines: numbered, warnings } = parseJsonLines(text);
  const lines = numbered.map(({ value }) => value);
  if (lines.length === 0)
    throw notTranscript(text.trim() === "" ? "is empty" : "has no line with a JSON object", warnings);
  for (const host of hosts) {
    const recording = await host.recording?.();
    if (!recording?.matches(lines)) continue;
    return toSession(host.name, recording.read?.(lines, text) ?? eventsOf(lines, host));
  }
  const titles = hosts.filter(({ recording }) => recording).map(({ title }) => title);
  throw notTranscript(`is not a recorded session of ${titles.join(" or ")}`, warnings);
}

function eventsOf(lines: readonly Line[], { transcript }: Host): RecordedEvent[] {
  return lines.flatMap((line): RecordedEvent[] => {
    const content = transcript?.readLine(line);
    if (!content) return [];
    if ("summary" in content) return [{ type: "compaction", summary: content.summary }];
    return content.messages.map((message) => ({ type: "message", message, at: timeIn(line.timestamp) }));
  });
}

function toSession(format: string, events: readonly RecordedEvent[]): RecordedSession {
  const session: RecordedSession = { format, messages: [], calls: [], compactions: [] };
  const { messages, compactions } = session;
  const callsById = new Map<string, RecordedCall>();
  for (const event of events) {
    if (event.type === "compaction") {
      const { summary, keptFrom = messages.length } = event;
      compactions.push({ messages: messages.length, keptFrom, summary });
      continue;
    }
    const { message, at, call } = event;
    if (call) addCall(session, call, at, callsById);
    messages.push({ number: messages.length + 1, message, at });
  }
  return session;
}

/** Messages of one call repeat its usage so far. Skips a call that was aborted before any tokens were counted. */
function addCall(
  { messages, calls }: RecordedSession,
  { id, model, usage }: ModelCall,
  at: number,
  callsById: Map<string, RecordedCall>,
): void {
  const earlier = id === "" ? undefined : callsById.get(id);
  if (earlier) {
    earlier.usage.output = Math.max(earlier.usage.output, usage.output);
    earlier.answeredAt = at;
    return;
  }
  if (usage.input + usage.cacheRead + usage.cacheWrite === 0) return;
  const call = { model, usage, messages: messages.length, answeredAt: at };
  calls.push(call);
  if (id !== "") callsById.set(id, call);
}

function notTranscript(problem: string, warnings: readonly LineWarning[]): HoldfastError {
  const [first] = warnings;
  const detail = first === undefined ? "" : ` Line ${first.line}: ${first.message}`;
  const folders = hosts.flatMap(({ recording, transcriptFolder }) =>
    recording && transcriptFolder ? transcriptFolder(process.env).replace(homeFolder(), "~") : [],
  );
  return new HoldfastError(
    "invalid_input",
    `The file ${problem}.${detail} Pass a .jsonl file from ${folders.join(" or ")}.`,
    { data: { warnings: warnings.slice(0, 20) } },
  );
}
