import type { HookEvent } from "./event.ts";

/** What a hook has to say. */
export interface HookReply {
  /** For the model. */
  context?: string | undefined;
  /** For the host's summariser. */
  keep?: string | undefined;
}

/** The object in which several hosts expect text for the model. */
export function injectContext({ name }: HookEvent, context: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: name, additionalContext: context } });
}

/** The generic answer, for our own plugins and for every host without a format of its own. */
export function formatReply(_event: HookEvent, { context = "", keep = "" }: HookReply): string {
  return JSON.stringify({ ...(context === "" ? {} : { context }), ...(keep === "" ? {} : { keep }) });
}
