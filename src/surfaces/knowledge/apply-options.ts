import type { ApplyOptions } from "../session-handle.ts";
import type { Call } from "../surface.ts";

/** Options for a session's write to the agent's knowledge. Sessions may use the same idempotency key, so prefix it. */
export function knowledgeOptions({ session, options }: Call): ApplyOptions {
  const { key } = options;
  return {
    ...options,
    surface: options.surface ?? "knowledge",
    ...(key === undefined ? {} : { key: `${session.id}:${key}`.slice(0, 255).toWellFormed() }),
  };
}
