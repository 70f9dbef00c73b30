import type { StoredMessage } from "../../context/conversation.ts";
import { isObject } from "../../engine/json.ts";
import type { PastConversation } from "../../surfaces/surface.ts";
import type { CustomEntry } from "../plugin/scratchpad-entries.ts";
import { toModelMessage } from "../transcript/messages.ts";
import type { OpenClawApi, OpenClawContext, OpenClawEntry, OpenClawSessionManager } from "./api.ts";

/** OpenClaw's own record of a conversation. It was a JSONL file, and is rows of the same shape in its database since 2026.7. */
export interface OpenClawTranscript {
  /** From the first entry to the newest one, on the branch that is in use. */
  entries(): Promise<OpenClawEntry[]>;
  append(entries: readonly CustomEntry[]): Promise<void>;
}

/** The newest part of a branch, which is enough to append to it. */
const newest = { maxBytes: 1_000_000, maxEvents: 200 };

/** The transcript of a conversation; undefined if this OpenClaw has none that a plugin can open. */
export async function openTranscript(
  api: Pick<OpenClawApi, "config" | "runtime">,
  { agentId, sessionKey, sessionId }: OpenClawContext,
): Promise<OpenClawTranscript | undefined> {
  const storeOf = api.runtime?.agent?.session?.resolveStorePath;
  if (!storeOf || !agentId || !sessionKey || !sessionId) return undefined;
  const manager = await loadSessionManager();
  if (!manager) return undefined;
  const target = {
    agentId,
    sessionKey,
    sessionId,
    storePath: storeOf(api.config?.session?.store, { agentId }),
  };
  return {
    entries: async () => (await manager.openAsync(target)).getBranch(),
    async append(entries) {
      const open = await manager.openBoundedAsync(target, newest);
      for (const [type, data] of entries) open.appendCustomEntry(type, data);
    },
  };
}

/** OpenClaw resolves its own package for a plugin. It is not installed next to ours, so the compiler must not look for it. */
async function loadSessionManager(): Promise<OpenClawSessionManager | undefined> {
  const name = "openclaw/plugin-sdk/agent-sessions";
  try {
    const { SessionManager } = (await import(name)) as { SessionManager?: OpenClawSessionManager };
    return SessionManager?.openBoundedAsync ? SessionManager : undefined;
  } catch {
    return undefined;
  }
}

/** The entries since the last `/new` or `/reset`, which keeps the transcript. */
export function sinceReset(entries: readonly OpenClawEntry[]): readonly OpenClawEntry[] {
  return entries.slice(entries.findLastIndex(({ type }) => type === "reset") + 1);
}

/** The whole conversation. Messages before those that the last compaction kept have left the context. */
export function conversationOf(entries: readonly OpenClawEntry[]): PastConversation {
  const firstKept = entries.findLast(({ type }) => type === "compaction")?.firstKeptEntryId;
  const messages: StoredMessage[] = [];
  let contextFrom = 1;
  for (const { id, type, message, timestamp } of entries) {
    if (id === firstKept) contextFrom = messages.length + 1;
    const converted = type === "message" && isObject(message) ? toModelMessage(message) : undefined;
    const at = typeof timestamp === "string" ? Date.parse(timestamp) || 0 : 0;
    if (converted) messages.push({ number: messages.length + 1, message: converted, at });
  }
  return { messages, contextFrom };
}
