import { firstUnanswered } from "../compaction/cut.ts";
import { type CompactionPolicy, hasRoomToWarn, warningRoom } from "../compaction/usage.ts";
import type { StoredMessage } from "../context/conversation.ts";
import { shareRoom } from "../context/excerpt.ts";
import { readExcerpts } from "../engine/conversation.ts";
import { HoldfastError } from "../errors.ts";
import type { PromptNow } from "./agent-session.ts";
import type { TurnRun } from "./answer.ts";
import { type LongPart, noteTokens, partsOf, shorten } from "./shorten.ts";

export type FitRun = Pick<TurnRun, "agent" | "setting" | "emit" | "base" | "steer">;

/** New tool results may take this share of the free room; the rest is for the answer and the next steps. */
const resultShare = 0.5;

/** Up to this share of the window, results stay whole as long as they fit: older messages make room for them. */
const wholeShare = 1 / 8;

/** However little room there is, a part is shown with a few lines. */
export const leastTokens = noteTokens + 60;

/** Tokens for results that arrive now. */
export function roomForResults(used: number, policy: CompactionPolicy, count: number): number {
  const { contextWindow, outputReserve } = policy;
  const free = contextWindow - outputReserve - warningRoom(policy) - used;
  return Math.max(free * resultShare, Math.min(free, contextWindow * wholeShare), count * leastTokens);
}

/** Shortens results that have just arrived to a share of the free room, fairly among parallel ones. */
export async function fitResults(run: FitRun): Promise<void> {
  const { policy, messageTokens, tokenizer } = run.setting;
  const now = await run.agent.prompt(run);
  const newest = unanswered(now.messages);
  if (newest[0]?.message.role !== "assistant") return;
  const { total } = now.usage;
  const most = newest.reduce((sum, { message }) => sum + messageTokens(message), 0) * tokenizer.ratio;
  if (most <= roomForResults(total - most, policy, 0)) return;
  const known = new Set(readExcerpts(now.state).map(([key]) => key));
  const fresh = shownParts(now, run, newest).filter(({ key, kind }) => kind !== "answer" && !known.has(key));
  await fitInto(run, fresh, roomForResults(total - sizeOf(fresh), policy, fresh.length));
}

/**
 * Shortens what the model has yet to answer until the prompt fits the window. Called after older messages have been
 * compacted.
 */
export async function fitNewest(run: FitRun): Promise<void> {
  const { contextWindow, outputReserve } = run.setting.policy;
  const now = await run.agent.prompt(run);
  if (now.usage.total + outputReserve <= contextWindow) return;
  const parts = shownParts(now, run, unanswered(now.messages));
  const others = now.usage.total - sizeOf(parts);
  await fitInto(run, parts, contextWindow - outputReserve - others);
}

/** Shortens older messages so that the agent can be warned before they are compacted. */
export async function fitForWarning(run: FitRun): Promise<boolean> {
  const { policy } = run.setting;
  const now = await run.agent.prompt(run);
  if (hasRoomToWarn(now.usage.total, policy)) return false;
  const newest = firstUnanswered(now.messages);
  const parts = shownParts(now, run, now.messages.slice(0, newest)).sort((a, b) => b.tokens - a.tokens);
  let excess = now.usage.total + warningRoom(policy) + policy.outputReserve - policy.contextWindow;
  const chosen: (LongPart & { room: number })[] = [];
  for (const part of parts) {
    if (excess <= 0 || part.tokens <= 2 * leastTokens) break;
    const room = Math.max(leastTokens, part.tokens - excess);
    chosen.push({ ...part, room });
    excess -= part.tokens - room;
  }
  return excess <= 0 && (await shorten(run, chosen));
}

/** Refuses before any model call if nothing can make the prompt fit. */
export async function requireFit(run: FitRun): Promise<PromptNow> {
  const now = await run.agent.prompt(run);
  const { contextWindow } = run.setting.policy;
  if (now.usage.total <= contextWindow) return now;
  const { system, tools, memory, total } = now.usage;
  throw new HoldfastError(
    "over_limit",
    `The prompt takes ${total} of ${contextWindow} tokens even after shortening: instructions ${system}, tools ${tools}, memory ${memory}. Nothing was sent and nothing was lost. Use a model with a larger context window, fewer tools or surfaces, or shorter instructions.`,
    { data: { total, contextWindow, system, tools, memory } },
  );
}

async function fitInto(run: FitRun, parts: readonly LongPart[], room: number): Promise<void> {
  if (sizeOf(parts) <= room) return;
  const shares = shareRoom(
    parts.map(({ tokens }) => tokens),
    room,
  );
  const over = parts.flatMap((part, index) => {
    const share = Math.max(shares[index] ?? 0, leastTokens);
    return share < part.tokens ? [{ ...part, room: share }] : [];
  });
  await shorten(run, over);
}

/** What the model has yet to answer: a prompt, or its calls with their results. */
function unanswered(messages: readonly StoredMessage[]): StoredMessage[] {
  return messages.slice(firstUnanswered(messages)).filter(({ aside }) => !aside);
}

/** The parts of messages with their whole text and the tokens they take in the prompt now. */
function shownParts(
  { prompt }: PromptNow,
  { setting }: FitRun,
  messages: readonly StoredMessage[],
): LongPart[] {
  const { countTokens, tokenizer } = setting;
  const tokensOf = (text: string) => countTokens(text) * tokenizer.ratio;
  const shown = new Map(prompt.conversation.map((stored) => [stored.number, stored]));
  return messages.flatMap((stored) => {
    const view = shown.get(stored.number);
    // A collapsed message takes no room.
    if (!view) return [];
    const sizes = new Map(partsOf(view, tokensOf).map(({ key, tokens }) => [key, tokens]));
    return partsOf(stored, () => 0).map((part) => ({ ...part, tokens: sizes.get(part.key) ?? 0 }));
  });
}

function sizeOf(parts: readonly LongPart[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}
