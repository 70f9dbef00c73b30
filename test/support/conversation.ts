import type { ModelMessage } from "ai";
import type { StoredMessage } from "../../src/context/conversation.ts";
import type { Json } from "../../src/engine/json.ts";
import type { RecordId } from "../../src/engine/records.ts";
import { emptyCounters, type State } from "../../src/engine/state.ts";

type Line = ModelMessage | { inWarning: ModelMessage };

/** Stored messages, numbered from 1. */
export function conversation(...lines: Line[]): StoredMessage[] {
  return lines.map((line, index) => {
    const inWarning = "inWarning" in line;
    return {
      number: index + 1,
      message: inWarning ? line.inWarning : line,
      at: 0,
      ...(inWarning ? { inWarning } : {}),
    };
  });
}

export const user = (content: string): ModelMessage => ({ role: "user", content });
export const says = (text: string): ModelMessage => ({
  role: "assistant",
  content: [{ type: "text", text }],
});

export function calls(toolName: string, input: unknown, toolCallId = "c1"): ModelMessage {
  return { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input }] };
}

export function result(
  value: string,
  toolCallId = "c1",
  toolName = "tool",
  type: "text" | "error-text" = "text",
): ModelMessage {
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: { type, value } }] };
}

/** A session's state with some records and a notepad. */
export function stateWith(
  records: Record<string, unknown> = {},
  notepad: string | null = null,
  lastMessage = 0,
): State {
  return {
    row: {
      id: "s",
      owner: "local",
      agent: "default",
      title: null,
      status: "active",
      origin: "created",
      parent: null,
      lineage: [],
      createdAt: 0,
      updatedAt: 0,
      revision: 1,
      lastFork: 0,
      counters: { ...emptyCounters(), lastMessage },
      notepad,
    },
    resident: new Map(Object.entries(records) as [RecordId, Json][]),
  };
}
