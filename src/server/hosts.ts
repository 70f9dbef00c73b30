import type { Json } from "../engine/json.ts";

/** The host's facts about a coding agent's session. */
export interface HostSession {
  /** The host's name as people write it. */
  host: string;
  /** The folder it works in; "" when unknown. */
  project: string;
  /** The user's first message. "" when unknown. */
  ask: string;
  /** Whether the agent is in a turn; undefined when its hooks do not tell. */
  isInTurn: boolean | undefined;
}

/** A message of a transcript, with its number in the whole conversation. */
export interface HostMessage {
  number: number;
  /** As a session stores its messages. */
  stored: Json;
  /** The text that our hooks injected, byte for byte. */
  isMemory?: boolean;
}

/** A model call of a transcript, with the provider's counts. */
export interface HostCall {
  at: number;
  model: string;
  /** `input` includes what the provider read from (`cached`) and wrote to its cache. */
  usage: { input: number; cached: number; written: number; output: number };
  contextWindow: number;
  /** The messages it was sent. */
  from: number;
  to: number;
  /** The compactions before it. */
  compactions: number;
}

/** A whole conversation, read from the host's transcripts. */
export interface HostConversation {
  messages: readonly HostMessage[];
  calls: readonly HostCall[];
  /** Each replaced the messages up to `to` with its summary. */
  compactions: readonly { to: number; summary: string }[];
  /** The number of messages before the last `/clear`, which are not in the context. */
  earlier: number;
}

/** A failed hook. */
export interface HostFailure {
  at: number;
  host: string;
  event: string;
  message: string;
}

/** Coding agents keep their conversations themselves; this reads them. */
export interface HostSessions {
  /** Undefined when the session is not a coding agent's. */
  about(sessionId: string): HostSession | undefined;
  /** Undefined when there is no transcript to read. */
  conversation(sessionId: string): Promise<HostConversation | undefined>;
  /** The newest calls and compactions, from the end of the transcript: cheap enough for a list of sessions. */
  recent(sessionId: string): Promise<Pick<HostConversation, "calls" | "compactions"> | undefined>;
  /** The tokens at which the agent is warned and its host compacts; undefined when that is not known. */
  limits(
    sessionId: string,
    call: { model: string; tokens: number },
  ): { warnAt: number; compactAt: number } | undefined;
  /** The messages of a conversation whose transcript may match a search; empty for any other. */
  messages(sessionId: string, mayMatch: (raw: string) => boolean): Promise<readonly HostMessage[]>;
  /** The messages that a compaction removed, numbered as its receipt numbers them; empty when they cannot be read. */
  removed(sessionId: string, transcript: string, size: number): readonly HostMessage[];
  /** Newest first. */
  failures(): readonly HostFailure[];
}

export const noHosts: HostSessions = {
  about: () => undefined,
  conversation: async () => undefined,
  recent: async () => undefined,
  limits: () => undefined,
  messages: async () => [],
  removed: () => [],
  failures: () => [],
};
