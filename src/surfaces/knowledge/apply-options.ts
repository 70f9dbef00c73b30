import type { ApplyOptions } from "../session-handle.ts";
import type { Call } from "../surface.ts";

/** How a call of one session writes to what the agent knows: other sessions may use the same keys. */
export function knowledgeOptions({ session, options }: Call): ApplyOptions {
  const { key } = options;
  return {
    ...options,
    surface: options.surface ?? "knowledge",
    ...(key === undefined ? {} : { key: `${session.id}:${key}`.slice(0, 255).toWellFormed() }),
  };
}
