import type { ModelMessage } from "ai";
import { toolCallsOf, toolResultsOf } from "../../context/conversation.ts";

type Line = Record<string, unknown>;

/** A conversation in the transcript format of each host with hooks. */
export const transcriptLines: Record<string, (messages: readonly ModelMessage[]) => Line[]> = {
  "claude-code": (messages) => messages.map(claudeLine),
  codex: (messages) => messages.flatMap(codexLines),
  gemini: (messages) => geminiLines(messages),
  opencode: (messages) => opencodeLines(messages),
};

const stored = (message: ModelMessage) => ({ number: 1, message, at: 0 });
const callsIn = (message: ModelMessage) => toolCallsOf(stored(message));
const resultsIn = (message: ModelMessage) => toolResultsOf(stored(message));

function claudeLine(message: ModelMessage, index: number): Line {
  const calls = callsIn(message).map(({ id, tool, input }) => ({ type: "tool_use", id, name: tool, input }));
  const results = resultsIn(message).map(({ id, text, isError }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: text,
    is_error: isError,
  }));
  const parts = [...calls, ...results];
  const type = message.role === "assistant" ? "assistant" : "user";
  const content = parts.length > 0 ? parts : message.content;
  return { type, uuid: `u${index}`, sessionId: "s1", isSidechain: false, message: { role: type, content } };
}

function codexLines(message: ModelMessage): Line[] {
  const item = (payload: Line): Line => ({ type: "response_item", payload });
  const calls = callsIn(message).map(({ id, tool, input }) =>
    item({ type: "function_call", name: tool, call_id: id, arguments: JSON.stringify(input) }),
  );
  const results = resultsIn(message).map(({ id, text, isError }) =>
    item({
      type: "function_call_output",
      call_id: id,
      output: JSON.stringify({ output: text, metadata: { exit_code: isError ? 1 : 0 } }),
    }),
  );
  if (calls.length + results.length > 0) return [...calls, ...results];
  const content = [{ type: "input_text", text: String(message.content) }];
  return [item({ type: "message", role: message.role, content })];
}

function geminiLines(messages: readonly ModelMessage[]): Line[] {
  return messages.flatMap((message, index): Line[] => {
    if (message.role === "user") return [{ id: `g${index}`, type: "user", content: message.content }];
    if (message.role !== "assistant") return [];
    const results = messages.flatMap(resultsIn);
    const toolCalls = callsIn(message).map(({ id, tool, input }) => {
      const result = results.find((each) => each.id === id);
      const status = result?.isError ? "error" : "success";
      return { id, name: tool, args: input, status, resultDisplay: result?.text };
    });
    const content = toolCalls.length > 0 ? "" : message.content;
    return [{ id: `g${index}`, type: "gemini", content, toolCalls, tokens: { input: 9_000 + index } }];
  });
}

/** The line that Gemini CLI appends to a chat file when it has compressed the chat. */
export function compressedHistory(summary: string): Line {
  const text = (id: string, type: string, part: string) => ({ id, type, content: [{ text: part }] });
  const messages = [
    text("context", "user", "<session_context>\nThis is the Gemini CLI.\n</session_context>"),
    text("snapshot", "user", `<state_snapshot>${summary}</state_snapshot>`),
    text("thanks", "gemini", "Got it. Thanks for the additional context!"),
  ];
  return { $set: { messages, lastUpdated: "2026-11-17T06:40:17.447Z" } };
}

function opencodeLines(messages: readonly ModelMessage[]): Line[] {
  const results = messages.flatMap(resultsIn);
  return messages.flatMap((message, index): Line[] => {
    if (message.role === "tool") return [];
    const calls = callsIn(message).map(({ id, tool, input }) => {
      const result = results.find((each) => each.id === id);
      const outcome = result?.isError
        ? { status: "error", error: result.text }
        : { status: "completed", output: result?.text };
      return { type: "tool", callID: id, tool, state: { input, ...outcome } };
    });
    const parts = calls.length > 0 ? calls : [{ type: "text", text: message.content }];
    return [{ info: { id: `m${index}`, role: message.role }, parts }];
  });
}
