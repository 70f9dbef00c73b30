import { HoldfastError } from "../../errors.ts";
import type { Host } from "../host.ts";

/** What happened at a host, in the one form that the rest of the hook works with. */
export interface HookEvent {
  host: Host;
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

/** Understood from every host. */
const genericEvents: readonly HookKind[] = [
  "session-start",
  "before-compaction",
  "after-compaction",
  "prompt",
  "after-tool",
  "turn-end",
  "end",
];

/** Reads the JSON that a host sends. Fields of a wrong type count as missing. */
export function readHookEvent(host: Host, payload: Record<string, unknown>): HookEvent {
  const text = (...names: string[]) =>
    (names.map((name) => payload[name]).find((value) => typeof value === "string") ?? "").replaceAll(
      "\0",
      "",
    );
  const name = text("hook_event_name", "event");
  const kind = kindOf(host, name);
  if (kind === undefined) {
    const known = [...Object.keys(host.events), ...genericEvents].join(", ");
    throw new HoldfastError(
      "invalid_input",
      `There is nothing to do for the event ${JSON.stringify(name.slice(0, 80))} of ${host.name}. The events are: ${known}.`,
    );
  }
  const hostSession = text("session_id", "session");
  if (hostSession === "") {
    throw new HoldfastError("invalid_input", `The event ${name} of ${host.name} has no session_id.`);
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

function kindOf({ events }: Host, name: string): HookKind | undefined {
  return Object.hasOwn(events, name) ? events[name] : genericEvents.find((kind) => kind === name);
}
