import type { StoredMessage } from "../../context/conversation.ts";
import { HoldfastError } from "../../errors.ts";
import { hosts } from "../hosts.ts";
import { type LineWarning, parseJsonLines } from "./file.ts";
import type { ModelCall, RecordedEvent } from "./line.ts";

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
  warnings: LineWarning[];
}

/** Reads a recorded session of a host. Skips unreadable lines and reports them as warnings. */
export async function readRecordedSession(text: string): Promise<RecordedSession> {
  const parsed = parseJsonLines(text);
  const { lines, warnings } = parsed;
  if (lines.length === 0)
    throw await notTranscript(text.trim() === "" ? "is empty" : "has no line with a JSON object", warnings);
  const session = await recognise(text, parsed);
  if (!session) {
    const titles = hosts.filter(({ recording }) => recording).map(({ title }) => title);
    throw await notTranscript(`is not a recorded session of ${titles.join(" or ")}`, warnings);
  }
  session.warnings.sort((left, right) => left.line - right.line);
  return session;
}

/** The first host that takes the lines for its own reads them. */
async function recognise(text: string, parsed: ParsedLines): Promise<RecordedSession | undefined> {
  for (const host of hosts) {
    const recording = await host.recording?.();
    if (recording?.matches(parsed.lines)) return toSession(host.name, recording.read(text, parsed));
  }
  return undefined;
}

type ParsedLines = ReturnType<typeof parseJsonLines>;

function toSession(
  format: string,
  { events, warnings }: { events: readonly RecordedEvent[]; warnings: LineWarning[] },
): RecordedSession {
  const session: RecordedSession = { format, messages: [], calls: [], compactions: [], warnings };
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

async function notTranscript(problem: string, warnings: readonly LineWarning[]): Promise<HoldfastError> {
  const [first] = warnings;
  const detail = first === undefined ? "" : ` Line ${first.line}: ${first.message}`;
  const recordings = await Promise.all(hosts.map((host) => host.recording?.()));
  const folders = recordings.flatMap((recording) => recording?.folder ?? []);
  return new HoldfastError(
    "invalid_input",
    `The file ${problem}.${detail} Pass a .jsonl file from ${folders.join(" or ")}.`,
    { data: { warnings: warnings.slice(0, 20) } },
  );
}
