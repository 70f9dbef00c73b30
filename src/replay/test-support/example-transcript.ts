import type { StoredMessage } from "../../context/conversation.ts";
import { estimateMessage } from "../calibrate.ts";
import type { RecordedCall, RecordedCompaction, Transcript } from "../transcript.ts";

export interface ExampleOptions {
  /** Words of each call's tool result; one call per entry. */
  results: readonly number[];
  /** Calls (from 0) that start with a user message; the first always does. */
  asks?: readonly number[];
  /** Calls with a cold cache. */
  cold?: readonly number[];
  /** Calls before which a compaction summarises everything but the newest message. */
  compactions?: readonly number[];
}

export const exampleSystem = 2_000;

/** A session as recorded from a provider with a perfect prompt cache, for the tests. */
export function exampleTranscript({
  results,
  asks = [],
  cold = [],
  compactions = [],
}: ExampleOptions): Transcript {
  const messages: StoredMessage[] = [];
  const calls: RecordedCall[] = [];
  const compacted: RecordedCompaction[] = [];
  const add = (message: StoredMessage["message"], at: number) =>
    void messages.push({ number: messages.length + 1, message, at });
  let from = 0;
  let summary = "";
  let sent = 0;
  for (const [call, words] of results.entries()) {
    const at = 1_000_000 + call * 10_000;
    if (compactions.includes(call)) {
      from = messages.length - 1;
      summary = "What was found so far, in short. ".repeat(20);
      compacted.push({ messages: messages.length, keptFrom: from, summary });
      sent = exampleSystem;
    }
    if (call === 0 || asks.includes(call))
      add({ role: "user", content: `Question ${call}: what is in file ${call}?` }, at);
    const held = messages.slice(from).reduce((sum, message) => sum + estimateMessage(message), 0);
    const total = exampleSystem + (summary === "" ? 0 : Math.round(summary.length / 4)) + held;
    const cacheRead = cold.includes(call) ? 0 : sent;
    const usage = { input: 0, cacheRead, cacheWrite: total - cacheRead, output: 50 };
    calls.push({
      model: "claude-opus-4-5",
      usage,
      cost: undefined,
      messages: messages.length,
      askedAt: at,
      answeredAt: at + 1_000,
    });
    sent = total;
    const toolCallId = `call_${call}`;
    const input = { path: `file-${call}.ts` };
    add(
      { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: "read", input }] },
      at + 1_000,
    );
    const value = Array.from({ length: words }, (_, index) => `word${(index * 7 + call) % 100}`).join(" ");
    add(
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName: "read", output: { type: "text", value } }],
      },
      at + 2_000,
    );
  }
  return { format: "example", messages, calls, compactions: compacted, contexts: [], warnings: [] };
}
