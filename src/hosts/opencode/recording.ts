import { DatabaseSync } from "node:sqlite";
import { objectIn, textIn } from "../../engine/json.ts";
import { readOpencodeLine } from "../opencode-family/transcript.ts";
import type { JsonLine } from "../transcript/json-lines.ts";
import type { ModelCall, RecordedEvent, Recording } from "../transcript/recording.ts";

/** opencode keeps its sessions in a SQLite file; each becomes lines of one message with its parts. */
export const opencodeRecording: Recording = {
  folder: "~/.local/share/opencode",
  database: { file: "opencode.db", sessions: readSessions },
  matches: (lines) => lines.some(({ value }) => "info" in value && "parts" in value),
  read: (_text, { lines, warnings }) => ({ events: lines.flatMap(toEvents), warnings }),
};

/** The sessions of a database, sub-agents' too. It is opened for reading only. */
function* readSessions(path: string): Generator<{ name: string; text: string }> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const messages = database.prepare(
      "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
    );
    const parts = database.prepare("SELECT data FROM part WHERE message_id = ? ORDER BY id");
    for (const { id } of database.prepare("SELECT id FROM session ORDER BY id").all()) {
      const lines = messages.all(String(id)).map((message) => {
        const own = parts.all(String(message.id)).map(({ data }) => String(data));
        return `{"id":${JSON.stringify(message.id)},"info":${message.data},"parts":[${own.join(",")}]}\n`;
      });
      if (lines.length > 0) yield { name: String(id), text: lines.join("") };
    }
  } finally {
    database.close();
  }
}

function toEvents({ value }: JsonLine): RecordedEvent[] {
  const line = readOpencodeLine(value);
  if (!line) return [];
  if ("summary" in line) return [{ type: "compaction", summary: line.summary }];
  const info = objectIn(value.info);
  const at = objectIn(info.time).created;
  const call = info.role === "assistant" ? { call: callOf(textIn(value.id), info) } : {};
  return line.messages.map((message) => ({
    type: "message",
    message,
    at: typeof at === "number" ? at : 0,
    ...(message.role === "assistant" ? call : {}),
  }));
}

function callOf(id: string, info: Record<string, unknown>): ModelCall {
  const tokens = objectIn(info.tokens);
  const cache = objectIn(tokens.cache);
  const count = (value: unknown) => (typeof value === "number" ? value : 0);
  return {
    id,
    model: textIn(info.modelID),
    usage: {
      input: count(tokens.input),
      cacheWrite: count(cache.write),
      cacheRead: count(cache.read),
      output: count(tokens.output) + count(tokens.reasoning),
    },
    cost: typeof info.cost === "number" ? info.cost : undefined,
  };
}
