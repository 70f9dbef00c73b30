import type { HookEvent } from "./event.ts";

/** The content of a hook's answer. */
export interface HookReply {
  /** For the model. */
  context?: string | undefined;
  /** For the host's summariser. */
  keep?: string | undefined;
  /** The compaction is to come after one more request. */
  isPutOff?: boolean;
}

/** The JSON in which several hosts expect text for the model. */
export function injectContext({ name }: HookEvent, context: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: name, additionalContext: context } });
}

/** The generic answer, for our own plugins and for hosts without their own format. */
export function formatReply(_event: HookEvent, { context = "", keep = "" }: HookReply): string {
  return JSON.stringify({
    ...(context === "" ? {} : { context }),
    ...(keep === "" ? {} : { keep }),
  });
}
