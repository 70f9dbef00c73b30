import { objectsIn } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import type { ToolResult } from "../context-fill.ts";
import type { Escaping, Host } from "../host.ts";

/** A host's event in the form that the rest of the hook uses. */
export interface HookEvent {
  host: Host;
  kind: HookKind;
  /** The host's name for the event. */
  name: string;
  hostSession: string;
  cwd: string;
  /** Why a session starts. */
  source: "startup" | "resume" | "clear" | "compact" | "fork";
  /** The session that was forked, if the host reports it. */
  parent: string;
  /** The transcript file; "" if the host gives none. */
  transcript: string;
  /** The summary from the host's summarizer. */
  summary: string;
  /** Triggered by the user, not by the host. */
  isManual: boolean;
  /** The agent's last text. */
  lastText: string;
  /** The host's id of the sub-agent that the event is about; "" for the main agent. */
  subAgent: string;
  /** The results of the tools that have just run. */
  results: ToolResult[];
  /** How full the context is and where the host compacts, from a plugin that knows. */
  fill?: { tokens: number; limit: number };
  /** The turn ends for the second time, because a hook continued it. */
  isContinued: boolean;
}

/** Whether the event shows the model its memory after a compaction, and records that compaction. */
export function endsCompaction({ kind, source, host }: HookEvent): boolean {
  if (kind === "session-start") return source === "compact";
  return kind === "after-compaction" && !host.compaction.restartsSession;
}

/** The kinds of events. Their names are accepted from every host. */
const kinds = [
  "session-start",
  "before-compaction",
  "after-compaction",
  "prompt",
  "after-tool",
  "memory-call",
  "sub-agent",
  "turn-end",
  "end",
] as const;

export type HookKind = (typeof kinds)[number];

/** Reads the JSON that a host sends. Fields of a wrong type count as missing. */
export function readHookEvent(host: Host, sent: Record<string, unknown>): HookEvent {
  const payload = host.readPayload?.(sent) ?? sent;
  const text = (...names: string[]) =>
    (names.map((name) => payload[name]).find((value) => typeof value === "string") ?? "").replaceAll(
      "\0",
      "",
    );
  const name = text("hook_event_name", "event");
  const kind = kindOf(host, name);
  if (kind === undefined) {
    const known = [...Object.keys(host.events), ...kinds].join(", ");
    throw new HoldfastError(
      "invalid_input",
      `Unknown event ${JSON.stringify(name.slice(0, 80))} from ${host.name}. The events are: ${known}.`,
    );
  }
  const hostSession = text("session_id", "sessionId", "session");
  if (hostSession === "") {
    throw new HoldfastError("invalid_input", `The event ${name} from ${host.name} has no session_id.`);
  }
  const sources = ["startup", "resume", "clear", "compact", "fork"] as const;
  return {
    host,
    kind,
    name,
    hostSession,
    cwd: text("cwd") || process.cwd(),
    source: sources.find((source) => source === text("source")) ?? "startup",
    parent: text("parent_session_id", "parent"),
    transcript: text("transcript_path", "transcriptPath", "transcript"),
    summary: text("compact_summary", "summary"),
    isManual: text("trigger") === "manual",
    lastText: text("last_assistant_message", "prompt_response", "last_text"),
    subAgent: text("agent_id"),
    results: readResults(payload),
    ...(typeof payload.tokens === "number" && typeof payload.limit === "number"
      ? { fill: { tokens: payload.tokens, limit: payload.limit } }
      : {}),
    isContinued: String(payload.stop_hook_active) === "true",
  };
}

/** The results of one tool, or of several that ran at the same time. */
function readResults(payload: Record<string, unknown>): ToolResult[] {
  const { tool_calls: sent = [payload] } = payload;
  const calls: unknown = typeof sent === "string" ? parseJson(sent) : sent;
  const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value ?? ""));
  return objectsIn(calls).flatMap(({ tool_use_id: id, tool_input: input, tool_response: result }) =>
    typeof id === "string" && result !== undefined
      ? [{ id, input: textOf(input), text: textOf(result) }]
      : [],
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function kindOf({ events }: Host, name: string): HookKind | undefined {
  return Object.hasOwn(events, name) ? events[name] : kinds.find((kind) => kind === name);
}

/** The tool of our MCP server that hooks call. It is not listed, so no agent sees it. */
export const hookTool = "hook";

/** The content of a hook's answer. */
export interface HookReply {
  /** For the model. */
  context?: string | undefined;
  /** For the host's summarizer. */
  keep?: string | undefined;
  /** For the user, in one line, if the host has a place for it. */
  notice?: string | undefined;
  /** Why the call that is announced must not run. */
  refusal?: string | undefined;
  /** The compaction is to come after one more request. */
  isPutOff?: boolean;
}

/** The JSON in which several hosts expect text for the model. */
export function injectContext({ name }: HookEvent, context: string, notice?: string): string {
  return JSON.stringify({
    ...(notice === undefined ? {} : { systemMessage: notice }),
    hookSpecificOutput: { hookEventName: name, additionalContext: context },
  });
}

/** The generic answer, for our own plugins and for hosts without their own format. */
export function formatReply(_event: HookEvent, { context = "", keep = "" }: HookReply): string {
  return JSON.stringify({
    ...(context === "" ? {} : { context }),
    ...(keep === "" ? {} : { keep }),
  });
}

/** For hosts that escape angle brackets in injected text: the model would see `&lt;`. */
export const angleBrackets: Escaping = {
  escape: (text) => text.replaceAll("<", "‹").replaceAll(">", "›"),
  hint: "‹ and › stand for angle brackets.",
};

/** The answer to a sub-agent that would replace the notepad that it shares with the main agent. */
export const notepadRefusal =
  'This notepad belongs to the agent that you work for, and write_notepad would replace it. Add to it instead: call update_notepad with operation "append".';
