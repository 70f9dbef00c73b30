import { planCheckpoint } from "../../compaction/checkpoint.ts";
import { openAsks } from "../../compaction/facts/statements.ts";
import { type StoredMessage, spokenText } from "../../context/conversation.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import type { State } from "../../engine/state.ts";
import { oneLine } from "../../engine/text.ts";

export type LostKind = "plan" | "ask" | "decision" | "files" | "commands";

/** Something that a conversation knew before its last compaction. */
export interface LostItem {
  kind: LostKind;
  text: string;
}

/** The messages between two compactions. */
export interface Span {
  messages: readonly StoredMessage["message"][];
}

const maxAsks = 5;
const maxDecisions = 6;
const maxFiles = 15;
const maxCommands = 8;
const maxText = 600;
/** More messages take seconds to read, and are older than anything worth rescuing. */
const maxMessages = 5_000;

/**
 * What a conversation knew before its last compaction, most needed first; without a compaction, what it knows. Asks no
 * model. `state` is a session without memory.
 */
export function findLost(spans: readonly Span[], state: State): LostItem[] {
  const before = spans.length > 1 ? spans.slice(0, -1) : spans;
  const messages = before
    .flatMap((span) => span.messages)
    .slice(-maxMessages)
    .map((message, index) => ({ number: index + 1, message, at: 0 }));
  if (messages.length === 0) return [];
  const checkpoint = planCheckpoint({ state, messages, to: messages.length, countTokens: estimateTokens });
  const { memory, planOpen, planClosed } = checkpoint;
  const item = (kind: LostKind) => (text: string) => ({ kind, text: oneLine(text, maxText) });
  const list = (kind: LostKind, lines: readonly string[]) =>
    lines.length === 0 ? [] : [{ kind, text: lines.map((line) => oneLine(line, maxText)).join("\n") }];
  const edited = checkpoint.filesWritten.slice(0, maxFiles);
  const commands = (memory?.commands ?? []).filter(({ isCommand }) => isCommand).slice(0, maxCommands);
  const plan = [...planOpen.map((text) => `- [ ] ${text}`), ...planClosed.map((text) => `- [x] ${text}`)];
  return [
    ...(planOpen.length === 0 ? [] : list("plan", plan)),
    ...newestAsks(messages).map(item("ask")),
    ...(memory?.decisions ?? []).slice(0, maxDecisions).map(item("decision")),
    ...list("files", edited),
    ...list(
      "commands",
      commands.map(({ line, failure }) => (failure === "" ? line : `${line} (${failure})`)),
    ),
  ];
}

/** What the user asked for last, newest first. */
function newestAsks(messages: readonly StoredMessage[]): string[] {
  const asks = new Set<string>();
  for (const stored of messages.toReversed()) {
    if (asks.size >= maxAsks) break;
    // Short enough to have been typed.
    if (stored.message.role === "user" && spokenText(stored.message).length < 4_000)
      for (const ask of openAsks([stored])) asks.add(ask);
  }
  return [...asks];
}
