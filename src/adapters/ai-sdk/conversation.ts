import type { Session } from "../../sessions/session.ts";
import { FileBytes } from "./file-bytes.ts";
import { KnownMessages } from "./known-messages.ts";

/** What the parts of the adapter share about one session: the middleware and `prepareStep` may be made apart. */
export class CallerConversation {
  readonly known = new KnownMessages();
  readonly bytes = new FileBytes();
  /** Whether the surfaces know that work on the session has begun. */
  isStarted = false;
  /** How many prompts have passed the middleware in this process. */
  placed = 0;
  /** The SDK gives its signal to models but not to a `prepareStep`; all steps of a call have the same one. */
  signal: AbortSignal | undefined;
}

const key = Symbol("the caller's conversation");

export function conversationOf(session: Session): CallerConversation {
  return session.companion(key, () => new CallerConversation());
}
