import { Queue } from "../../engine/queue.ts";
import type { Session } from "../../sessions/session.ts";
import type { Toolbox } from "../../surfaces/toolbox.ts";
import { FileBytes } from "./file-bytes.ts";
import { KnownMessages } from "./known-messages.ts";

/** State of one session shared by the middleware and `prepareStep`, which callers may create separately. */
export class CallerConversation {
  readonly known = new KnownMessages();
  readonly bytes = new FileBytes();
  /** Work on the conversation runs one piece at a time, whichever part does it. */
  readonly queue = new Queue();
  /** Whether the surfaces know that work on the session has begun. */
  isStarted = false;
  /** The surfaces of the adapter that was made last. */
  toolbox: Toolbox | undefined;
  /** Number of prompts that passed through the middleware in this process. */
  placed = 0;
  /** Tokens that the next call is expected to take, as counted before it; 0 if it was not counted. */
  expected = 0;
  /** The SDK passes its signal to models but not to `prepareStep`; all steps of a call share one signal. */
  signal: AbortSignal | undefined;
}

const key = Symbol("the caller's conversation");

export function conversationOf(session: Session): CallerConversation {
  return session.companion(key, () => new CallerConversation());
}
