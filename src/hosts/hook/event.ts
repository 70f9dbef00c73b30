import { HoldfastError } from "../../errors.ts";

/** What happened at a host, in the one form that the rest of the hook works with. */
export interface HookEvent {
  host: string;
  kind: HookKind;
  /** As the host calls it. */
  name: string;
  hostSession: string;
  cwd: string;
  /** Why a session starts. */
  source: "startup" | "resume" | "clear" | "compact" | "fork";
  /** The session that a fork was taken of, where the host says. */
  parent: string;
  /** The file of the conversation; "" when the host gives none. */
  transcript: string;
  /** What the host's summariser wrote. */
  summary: string;
  /** Asked for by the person, not by the host. */
  isManual: boolean;
  /** What the agent said last. */
  lastText: string;
}

export type HookKind =
  | "session-start"
  | "before-compaction"
  | "after-compaction"
  | "prompt"
  | "after-tool"
  | "turn-end"
  | "end";

/** The hosts whose own events are understood; any other host sends the generic ones. */
const eventNames: Record<string, Record<string, HookKind>> = {
  "claude-code": {
    SessionStart: "session-start",
    PreCompact: "before-compaction",
    PostCompact: "after-compaction",
    UserPromptSubmit: "prompt",
    Stop: "turn-end",
    SessionEnd: "end",
  },
  codex: {
    SessionStart: "session-start",
    PreCompact: "before-compaction",
    PostCompact: "after-compaction",
    UserPromptSubmit: "prompt",
    Stop: "turn-end",
    SessionEnd: "end",
  },
  gemini: {
    SessionStart: "session-start",
    PreCompress: "before-compaction",
    BeforeAgent: "prompt",
    AfterTool: "after-tool",
    AfterAgent: "turn-end",
    SessionEnd: "end",
  },
};

const genericEvents: readonly HookKind[] = [
  "session-start",
  "before-compaction",
  "after-compaction",
  "prompt",
  "after-tool",
  "turn-end",
  "end",
];

export const hookHosts = [...Object.keys(eventNames), "opencode", "pi", "openclaw"];

/** Reads the JSON that a host sends. Fields of a wrong type count as missing. */
export function readHookEvent(host: string, payload: Record<string, unknown>): HookEvent {
  const text = (...names: string[]) =>
    (names.map((name) => payload[name]).find((value) => typeof value === "string") ?? "").replaceAll(
      "\0",
      "",
    );
  const name = text("hook_event_name", "event");
  const own = eventNames[host] ?? {};
  const kind = Object.hasOwn(own, name)
    ? own[name]
    : genericEvents.includes(name as HookKind)
      ? (name as HookKind)
      : undefined;
  if (kind === undefined) {
    const known = [...Object.keys(own), ...genericEvents].join(", ");
    throw new HoldfastError(
      "invalid_input",
      `There is nothing to do for the event ${JSON.stringify(name.slice(0, 80))} of ${host}. The events are: ${known}.`,
    );
  }
  const hostSession = text("session_id", "session");
  if (hostSession === "") {
    throw new HoldfastError("invalid_input", `The event ${name} of ${host} has no session_id.`);
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
    transcript: text("transcript_path", "transcript"),
    summary: text("compact_summary", "summary"),
    isManual: text("trigger") === "manual",
    lastText: text("last_assistant_message", "prompt_response", "last_text"),
  };
}
