import type { StoredMessage } from "../context/conversation.ts";
import type { SessionExport } from "../engine/session-document.ts";
import type { Scratchpad } from "../surfaces/scratchpad/operations.ts";
import type { Fill, ReportedUsage } from "./context-fill.ts";
import type { HookEvent, HookKind, HookReply } from "./hook/event.ts";
import type { HostSetup } from "./host-setup.ts";
import type { TranscriptLine } from "./transcript/messages.ts";
import type { Recording } from "./transcript/recorded-session.ts";

/**
 * An agent program that Holdfast plugs into. All of this loads within milliseconds, because agents wait for their
 * hooks; what only commands need is loaded on demand.
 */
export interface Host {
  name: string;
  /** Its name as people write it. */
  title: string;
  /** The command that starts it. */
  program: string;
  /** The folder of its configuration for all projects. If it exists, the host is installed. */
  userFolder(env: NodeJS.ProcessEnv): string;
  /** Maps its own event names. Every host may send the generic names as well. */
  events: Readonly<Record<string, HookKind>>;
  /** Of these, the events that its MCP client passes to our server, which starts no process, and the fields that it fills in. */
  inServer?: Readonly<Record<string, readonly string[]>>;
  /** The variable in which it passes the folder of the project to hooks: an event's `cwd` follows the agent's shell. */
  projectVariable?: string;
  /** An event's payload with the fields under their common names, if the host has others. */
  readPayload?(payload: Record<string, unknown>): Record<string, unknown>;
  /** The answer to an event, in its format; "" prints nothing. */
  formatAnswer(event: HookEvent, reply: HookReply): string;
  /** Printed if the hook fails: the host must not take it for an answer. */
  emptyAnswer: string;
  /** Reads its transcript; undefined if its plugin reads the conversation itself. */
  transcript?: TranscriptFormat;
  /** The folder in which it keeps its transcripts. */
  transcriptFolder?(env: NodeJS.ProcessEnv): string;
  /** The text that it injects at a session's start is not stored in the conversation: a resumed one needs its memory again. */
  forgetsStart?: boolean;
  /** It drops a prompt that the answer to a session's start was put before when it resumes: the prompt's answer shows memory. */
  startsWithPrompt?: boolean;
  /** It starts the hooks of a session's start and of the first prompt at the same time. */
  startsAtOnce?: boolean;
  /** A sub-agent's calls cannot be told from the main agent's, so both have one notepad, which a sub-agent may not replace. */
  sharesNotepad?: boolean;
  compaction: CompactionTraits;
  /** Whether the user declined or disabled our server in this project, as far as the host's files tell. */
  isServerDeclined?(root: string): boolean;
  /** Its MCP client, if it uses our server. */
  mcpClient?: McpClientTraits;
  /** Its plugin offers the tools itself, without our server. */
  offersTools?: boolean;
  /** Its plugin can add to the system prompt. */
  takesSystemText?: boolean;
  /** Escapes injected text, if some characters do not reach the model. */
  escaping?: Escaping;
  /** Replays its recorded sessions, if they contain the cost of each call. */
  recording?(): Promise<Recording>;
  /** Reads and writes its session files, if sessions can be imported and exported. */
  sessionFile?(): Promise<SessionFile>;
  /** Its setup, for init, uninstall and doctor. */
  setup(): Promise<HostSetup>;
}

export interface TranscriptFormat {
  readLine(line: Record<string, unknown>): TranscriptLine;
  /** The usage of a model call, if a line reports one. */
  readUsage?(line: Record<string, unknown>): ReportedUsage | undefined;
  /** The lines of a whole file. Default: the file is JSONL. */
  splitLines?(text: string): Record<string, unknown>[];
}

/** How a host's compaction differs from others. */
export interface CompactionTraits {
  /** It restarts the session after a compaction, and only the answer to that start reaches the model. */
  restartsSession?: boolean;
  /** It announces a compaction, but does not report its end: the next prompt or tool shows it. */
  endsSilently?: boolean;
  /** The tokens at which it compacts by itself, as its settings say in the project at `root`; undefined if unknown. */
  limit?(fill: Fill, root: string): number | undefined;
  /** A compaction that a hook refuses comes again after one more request, which fits in these tokens above the limit. */
  putOffRoom?: number;
  /** The answer to the end of a turn can give the agent another one. */
  warnsAtTurnEnd?: boolean;
  /** The last message that it removes (default: the last one). It keeps those after it, as far as we can tell. */
  lastRemoved?(messages: readonly StoredMessage[]): number;
  /** The newest summary in a part of the transcript, to detect a compaction that the host does not report; "" if none. */
  newestSummary?(part: string): string;
}

/** How a host's MCP client can be told from others, and how it names the conversation. */
export interface McpClientTraits {
  /** Matches its `clientInfo.name`. */
  name: RegExp;
  /** The host's id of the conversation, if the `_meta` of a request names it. */
  conversation?(meta: Readonly<Record<string, unknown>>): string | undefined;
  /** The sub-agent that a request comes from, and the conversation that it works for, if `_meta` names them. */
  subAgent?(meta: Readonly<Record<string, unknown>>): { id: string; conversation: string } | undefined;
  /** The host's id of the call, if the `_meta` of a request names it. The hook before the call names it too. */
  call?(meta: Readonly<Record<string, unknown>>): string | undefined;
}

export interface Escaping {
  escape(text: string): string;
  /** Tells the model what the replaced characters mean. */
  hint: string;
}

/** A file in which a host keeps one of its sessions. */
export interface SessionFile {
  /** Whether the text is such a file. */
  isIn(text: string): boolean;
  /** The file as an importable session document, with a warning for each line that could not be used. */
  read(text: string): { document: SessionExport; warnings: { line: number; message: string }[] };
  /** The text with this memory added. It starts with the old text, so the rest can be appended to the file. */
  write(text: string, memory: { scratchpad: Scratchpad; notepad: string | null }): string;
}
