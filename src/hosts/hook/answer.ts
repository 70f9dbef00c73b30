import type { HookEvent } from "./event.ts";

/** What a hook has to say. */
export interface HookReply {
  /** For the model. */
  context?: string | undefined;
  /** For the host's summariser. */
  keep?: string | undefined;
}

/**
 * The answer in the host's format; "" prints nothing.
 *
 * Claude Code takes plain text for its summariser and nothing after a compaction. Codex refuses both, and wants an
 * object before a compaction. Gemini wants an object always. Any other host gets `{ context, keep }`.
 */
export function formatAnswer(event: HookEvent, { context = "", keep = "" }: HookReply): string {
  const { host, kind, name } = event;
  const injected = JSON.stringify({
    hookSpecificOutput: { hookEventName: name, additionalContext: context },
  });
  switch (host) {
    case "claude-code":
      if (kind === "before-compaction") return keep;
      return context !== "" && (kind === "session-start" || kind === "prompt") ? injected : "";
    case "codex":
      if (kind === "before-compaction") return "{}";
      return context !== "" && (kind === "session-start" || kind === "prompt") ? injected : "";
    case "gemini":
      return context !== "" && ["session-start", "prompt", "after-tool"].includes(kind) ? injected : "{}";
    default:
      return JSON.stringify({ ...(context === "" ? {} : { context }), ...(keep === "" ? {} : { keep }) });
  }
}

/** What prints when the hook failed: nothing that could be taken for an answer. */
export function emptyAnswer(host: string): string {
  return host === "claude-code" || host === "codex" ? "" : "{}";
}

/** Gemini escapes angle brackets in what is injected, so others stand for them. */
export function withoutAngleBrackets(text: string): string {
  return text.replaceAll("<", "‹").replaceAll(">", "›");
}
