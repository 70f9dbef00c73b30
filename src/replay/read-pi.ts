import type { ModelMessage } from "ai";
import { objectIn, textIn } from "../engine/json.ts";
import { plainText, toModelMessage } from "../hosts/pi/model-messages.ts";
import { readPiSession } from "../hosts/pi/session-file.ts";
import { countIn, type ParsedLine, timeIn } from "./read-lines.ts";
import type { RecordedCall, RecordedCompaction, Transcript, TranscriptWarning } from "./transcript.ts";

type Entry = Record<string, unknown>;

/** Version 1 has neither a number nor ids; its entries are one straight line. */
const linearVersion = 1;

export function looksLikePi(lines: readonly ParsedLine[]): boolean {
  return lines[0]?.value.type === "session";
}

export function readPi(
  text: string,
  lines: readonly ParsedLine[],
  warnings: TranscriptWarning[],
): Transcript {
  const transcript: Transcript = { format: "pi", messages: [], calls: [], compactions: [], warnings };
  if ((lines[0]?.value.version ?? linearVersion) === linearVersion)
    addEntries(
      transcript,
      lines.map(({ value }) => value),
    );
  else {
    const session = readPiSession(text);
    addEntries(transcript, session.branch);
    transcript.warnings = session.warnings;
  }
  return transcript;
}

function addEntries(transcript: Transcript, entries: readonly Entry[]): void {
  /** Where each entry's message went: by index for version 1, by id for later ones. */
  const places = new Map<unknown, number>();
  const { messages, calls, compactions } = transcript;
  for (const [index, entry] of entries.entries()) {
    places.set(index, messages.length);
    places.set(entry.id, messages.length);
    const at = timeIn(entry.timestamp);
    if (entry.type === "compaction") compactions.push(toCompaction(entry, places, messages.length));
    if (entry.type === "branch_summary")
      add(transcript, { role: "user", content: textIn(entry.summary) }, at);
    if (entry.type === "custom_message")
      add(transcript, { role: "user", content: plainText(entry.content) }, at);
    if (entry.type !== "message") continue;
    const message = objectIn(entry.message);
    if (message.role === "assistant") {
      const call = toCall(message, messages.length, messages.at(-1)?.at ?? at, at);
      if (call) calls.push(call);
    }
    const converted = toModelMessage(message);
    if (converted) add(transcript, converted, at);
  }
}

function add({ messages }: Transcript, message: ModelMessage, at: number): void {
  messages.push({ number: messages.length + 1, message, at });
}

function toCompaction(
  entry: Entry,
  places: ReadonlyMap<unknown, number>,
  messages: number,
): RecordedCompaction {
  const keptFrom = places.get(entry.firstKeptEntryId ?? entry.firstKeptEntryIndex) ?? messages;
  return { messages, keptFrom, summary: textIn(entry.summary) };
}

/** Undefined for a call that was broken off before the provider counted anything. */
function toCall(
  message: Entry,
  messages: number,
  askedAt: number,
  answeredAt: number,
): RecordedCall | undefined {
  const { input, output, cacheRead, cacheWrite, cost } = objectIn(message.usage);
  const usage = {
    input: countIn(input),
    cacheWrite: countIn(cacheWrite),
    cacheRead: countIn(cacheRead),
    output: countIn(output),
  };
  if (usage.input + usage.cacheRead + usage.cacheWrite === 0) return undefined;
  const total = objectIn(cost).total;
  return {
    model: textIn(message.model),
    usage,
    cost: typeof total === "number" ? total : undefined,
    messages,
    askedAt,
    answeredAt,
  };
}
