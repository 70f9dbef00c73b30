import { Compaction, type Conversation } from "../../compaction/compaction.ts";
import { handoffTokens } from "../../compaction/room.ts";
import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";
import { isObject } from "../../engine/json.ts";
import type { Session } from "../../sessions/session.ts";
import { memoryText } from "../../sessions/shown-memory.ts";
import { inPlugin } from "../../surfaces/surface.ts";
import { pluginDriver } from "../plugin/driver.ts";
import { toModelMessage } from "../transcript/model-messages.ts";
import type { PiAgentMessage, PiBeforeCompactEvent, PiContext, PiTreeEntry } from "./api.ts";

/** What pi is about to compact: the messages it removes, and those it keeps. */
export interface BranchCut extends Conversation {
  removed: StoredMessage[];
  kept: StoredMessage[];
  cwd: string;
}

export function cutBranch(
  { preparation, branchEntries }: PiBeforeCompactEvent,
  { sessionManager, cwd }: PiContext,
): BranchCut {
  const path = sessionManager.getSessionFile?.() ?? "";
  const { messagesToSummarize, turnPrefixMessages = [], firstKeptEntryId, tokensBefore } = preparation;
  const removed = numbered([...messagesToSummarize, ...turnPrefixMessages]);
  const kept = numbered(messagesFrom(branchEntries, firstKeptEntryId), removed.length + 1);
  const messages = [...removed, ...kept];
  const transcript = path === "" ? {} : { transcript: { path, size: 0 } };
  return { removed, kept, cwd, messages, to: removed.length, tokensBefore, ...transcript };
}

export interface BranchSetting {
  readWith: string;
  contextWindow: number;
  report: (error: unknown) => void;
}

/** A compaction in which the summary replaces the removed messages, followed by the kept ones. */
export function branchCompaction(
  session: Session,
  { kept, cwd }: BranchCut,
  { readWith, contextWindow, report }: BranchSetting,
): Compaction {
  return new Compaction(
    pluginDriver({
      session,
      cwd,
      report,
      readWith,
      room: { tokens: handoffTokens(contextWindow) },
      async contextAfter({ body }) {
        const shown = [memoryText(await session.context(inPlugin)), body];
        const text = [...shown, ...kept.map(({ message }) => plainTextOf(message))].join("\n");
        return { text, tokens: session.setting.countTokens(text) };
      },
    }),
  );
}

/** The messages of a branch since its last compaction. */
export function messagesOf(branch: readonly PiTreeEntry[]): StoredMessage[] {
  const last = branch.findLast(({ type }) => type === "compaction");
  const first = typeof last?.firstKeptEntryId === "string" ? last.firstKeptEntryId : branch[0]?.id;
  return numbered(first === undefined ? [] : messagesFrom(branch, first));
}

function numbered(messages: readonly PiAgentMessage[], first = 1): StoredMessage[] {
  return messages
    .flatMap((message) => {
      const converted = toModelMessage(message);
      const at = typeof message.timestamp === "number" ? message.timestamp : 0;
      return converted ? [{ message: converted, at }] : [];
    })
    .map((stored, index) => ({ number: first + index, ...stored }));
}

function messagesFrom(branch: readonly PiTreeEntry[], firstKept: string): PiAgentMessage[] {
  const start = branch.findIndex(({ id }) => id === firstKept);
  return branch
    .slice(start === -1 ? branch.length : start)
    .flatMap(({ type, message }) => (type === "message" && isObject(message) ? [message] : []));
}
