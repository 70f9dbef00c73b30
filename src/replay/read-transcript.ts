import { HoldfastError } from "../errors.ts";
import { hosts } from "../hosts/hosts.ts";
import { type LineWarning, parseJsonLines } from "../hosts/transcript/json-lines.ts";
import type { ModelCall, RecordedEvent } from "../hosts/transcript/recording.ts";
import type { RecordedCall, Transcript } from "./transcript.ts";

/**
 * Reads a recorded session of a host. Skips unreadable lines and reports them as warnings.
 *
 * @example (await readTranscript(text)).calls.length
 */
export async function readTranscript(text: string): Promise<Transcript> {
  const transcript = await readRecording(text);
  if (transcript.calls.length === 0) {
    throw new HoldfastError(
      "invalid_input",
      "This transcript records no token usage, so there is nothing to replay. Use one in which the model answered at least once (assistant messages with a usage field).",
      { data: { format: transcript.format, messages: transcript.messages.length } },
    );
  }
  return transcript;
}

/** Like `readTranscript`, also for a session without token usage. */
export async function readRecording(text: string): Promise<Transcript> {
  const parsed = parseJsonLines(text);
  const { lines, warnings } = parsed;
  if (lines.length === 0)
    throw await notTranscript(text.trim() === "" ? "is empty" : "has no line with a JSON object", warnings);
  const transcript = await recognise(text, parsed);
  if (!transcript) {
    const titles = hosts.filter(({ recording }) => recording).map(({ title }) => title);
    throw await notTranscript(`is not a recorded session of ${titles.join(" or ")}`, warnings);
  }
  transcript.warnings.sort((left, right) => left.line - right.line);
  return transcript;
}

/** The first host that takes the lines for its own reads them. */
async function recognise(text: string, parsed: ParsedLines): Promise<Transcript | undefined> {
  for (const host of hosts) {
    const recording = await host.recording?.();
    if (recording?.matches(parsed.lines)) return toTranscript(host.name, recording.read(text, parsed));
  }
  return undefined;
}

type ParsedLines = ReturnType<typeof parseJsonLines>;

function toTranscript(
  format: Transcript["format"],
  { events, warnings }: { events: readonly RecordedEvent[]; warnings: LineWarning[] },
): Transcript {
  const transcript: Transcript = {
    format,
    messages: [],
    calls: [],
    compactions: [],
    contexts: [],
    warnings,
  };
  const { messages, compactions } = transcript;
  const callsById = new Map<string, RecordedCall>();
  for (const event of events) {
    if (event.type === "compaction") {
      const { summary, keptFrom = messages.length } = event;
      compactions.push({ messages: messages.length, keptFrom, summary });
      continue;
    }
    if (event.type === "context") {
      transcript.contexts.push({ messages: messages.length, tokens: event.tokens });
      transcript.contextWindow = event.contextWindow ?? transcript.contextWindow;
      continue;
    }
    const { message, at, call } = event;
    if (call) addCall(transcript, call, at, callsById);
    messages.push({ number: messages.length + 1, message, at });
  }
  return transcript;
}

/** Messages of one call repeat its usage so far. Skips a call that was aborted before any tokens were counted. */
function addCall(
  { messages, calls }: Transcript,
  { id, model, usage, cost }: ModelCall,
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
  const askedAt = messages.at(-1)?.at ?? at;
  const call = { model, usage, cost, messages: messages.length, askedAt, answeredAt: at };
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
