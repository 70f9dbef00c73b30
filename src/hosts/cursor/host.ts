import { join } from "node:path";
import { objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { homeFolder } from "../../state-folder.ts";
import type { Host } from "../host.ts";
import { answerMessages, type TranscriptLine, textMessages, toolCallPart } from "../transcript/messages.ts";

/** Written from Cursor's documentation, not tried with the program itself. */
export const cursor: Host = {
  name: "cursor",
  title: "Cursor",
  program: "cursor-agent",
  userFolder: (env) => join(homeFolder(env), ".cursor"),
  events: {
    sessionStart: "session-start",
    beforeSubmitPrompt: "prompt",
    postToolUse: "after-tool",
    preCompact: "before-compaction",
    stop: "turn-end",
    sessionEnd: "end",
  },
  /** User-wide hooks run in another folder, so the project is the first workspace root. */
  readPayload(payload) {
    const [root] = Array.isArray(payload.workspace_roots) ? payload.workspace_roots : [];
    const session_id = textIn(payload.conversation_id) || textIn(payload.session_id);
    return { ...objectIn(payload), session_id, cwd: textIn(root) || textIn(payload.cwd) };
  },
  /** An answer to a prompt can only refuse it, so changes come with the next tool. */
  formatAnswer(event, { context = "" }) {
    if (event.kind === "prompt") return JSON.stringify({ continue: true });
    const isInjected = context !== "" && ["session-start", "after-tool"].includes(event.kind);
    return isInjected ? JSON.stringify({ additional_context: context }) : "{}";
  },
  emptyAnswer: "{}",
  transcript: { readLine: readCursorLine },
  compaction: { endsSilently: true },
  mcpClient: { name: /^cursor\b/i },
  setup: async () => (await import("./setup.ts")).cursorSetup,
};

/** One line of a Cursor transcript: a role and a message of parts. */
function readCursorLine({ role, message }: Record<string, unknown>): TranscriptLine {
  const parts = objectsIn(objectIn(message).content);
  const text = parts
    .map((part) => (part.type === "text" ? textIn(part.text) : ""))
    .filter((part) => part !== "")
    .join("\n");
  if (role === "user") return { messages: textMessages("user", queryIn(text)) };
  if (role !== "assistant") return undefined;
  const calls = parts
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => toolCallPart(textIn(id), textIn(name), input ?? {}));
  return { messages: answerMessages(text, calls) };
}

/** The user's text, without the text that Cursor adds around it. */
function queryIn(text: string): string {
  return (/<user_query>([\s\S]*?)<\/user_query>/.exec(text)?.[1] ?? text).trim();
}
