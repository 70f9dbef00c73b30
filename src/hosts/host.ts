import type { HookReply } from "./hook/answer.ts";
import type { HookEvent, HookKind } from "./hook/event.ts";
import type { HostSetup } from "./host-setup.ts";
import type { SessionFile } from "./session-file.ts";
import type { TranscriptLine } from "./transcript/line.ts";
import type { Recording } from "./transcript/recording.ts";

/**
 * An agent program that Holdfast plugs into. All of this loads within milliseconds, because agents wait for their
 * hooks; what only commands need is loaded when it is asked for.
 */
export interface Host {
  name: string;
  /** Its name as people write it. */
  title: string;
  /** The command that starts it. */
  program: string;
  /** What its own events mean. Every host may send the generic names as well. */
  events: Readonly<Record<string, HookKind>>;
  /** The answer to an event, in its format; "" prints nothing. */
  formatAnswer(event: HookEvent, reply: HookReply): string;
  /** What prints when the hook failed: nothing that it could take for an answer. */
  emptyAnswer: string;
  /** How its transcript is read; undefined when its plugin reads the conversation itself. */
  transcript?: TranscriptFormat;
  compaction: CompactionTraits;
  /** How injected text has to be written, when not every character reaches the model. */
  escaping?: Escaping;
  /** How its recorded sessions are replayed, where they say what each call cost. */
  recording?(): Promise<Recording>;
  /** Its own session files, where sessions can be imported from and exported to them. */
  sessionFile?(): Promise<SessionFile>;
  /** What init, uninstall and doctor know about it. */
  setup(): Promise<HostSetup>;
}

export interface TranscriptFormat {
  readLine(line: Record<string, unknown>): TranscriptLine;
  /** The lines of a whole file. Default: the file is JSONL. */
  splitLines?(text: string): Record<string, unknown>[];
}

/** How a host compacts, where hosts differ. */
export interface CompactionTraits {
  /** It starts the session again after a compaction, and only that answer reaches the model. */
  restartsSession?: boolean;
  /** It announces a compaction before every request, whether or not it compacts. */
  announcesEveryRequest?: boolean;
  /** Input tokens of the newest request, by which a compaction that it does not report is noticed. */
  lastInputTokens?(transcript: string): number | undefined;
}

export interface Escaping {
  escape(text: string): string;
  /** Tells the model what the replaced characters mean. */
  hint: string;
}
