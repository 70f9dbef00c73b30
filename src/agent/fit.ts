import { firstUnanswered } from "../compaction/cut.ts";
import { type CompactionPolicy, hasRoomToWarn, warningRoom } from "../compaction/usage.ts";
import { partKey, resultText, type StoredMessage, textsIn } from "../context/conversation.ts";
import { chooseEnds, type Ends, shareRoom } from "../context/excerpt.ts";
import { readExcerpts } from "../engine/conversation.ts";
import { HoldfastError } from "../errors.ts";
import { passageAt } from "../surfaces/recall/passages.ts";
import type { PromptNow } from "./conversation.ts";
import { asSystem, type TurnRun } from "./run.ts";

/** Tokens for the note in place of what is cut. */
const noteTokens = 70;

/** New tool results may take this share of the free room; the rest is for the answer and the next steps. */
const resultShare = 0.5;

/** Up to this share of the window, results stay whole as long as they fit: older messages make room for them. */
const wholeShare = 1 / 4;

/** However little room there is, a part is shown with a few lines. */
export const leastTokens = noteTokens + 60;

/** Tokens for results that arrive now. */
export function roomForResults(used: number, policy: CompactionPolicy, count: number): number {
  const { contextWindow, outputReserve } = policy;
  const free = contextWindow - outputReserve - warningRoom(policy) - used;
  return Math.max(free * resultShare, Math.min(free, contextWindow * wholeShare), count * leastTokens);
}

/** Shortens results that have just arrived to a share of the free room, fairly among parallel ones. */
export async function fitResults(run: TurnRun): Promise<void> {
  const { policy, messageTokens, tokenizer } = run.config;
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
export async function fitNewest(run: TurnRun): Promise<void> {
  const { contextWindow, outputReserve } = run.config.policy;
  const now = await run.agent.prompt(run);
  if (now.usage.total + outputReserve <= contextWindow) return;
  const parts = shownParts(now, run, unanswered(now.messages));
  const others = now.usage.total - sizeOf(parts);
  await fitInto(run, parts, contextWindow - outputReserve - others);
}

/** Shortens older messages so that the agent can be warned before they are compacted. */
export async function fitForWarning(run: TurnRun): Promise<boolean> {
  const { policy } = run.config;
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
export async function requireFit(run: TurnRun): Promise<PromptNow> {
  const now = await run.agent.prompt(run);
  const { contextWindow } = run.config.policy;
  if (now.usage.total <= contextWindow) return now;
  const { system, tools, memory, total } = now.usage;
  throw new HoldfastError(
    "over_limit",
    `The prompt takes ${total} of ${contextWindow} tokens even after shortening: instructions ${system}, tools ${tools}, memory ${memory}. Nothing was sent and nothing was lost. Use a model with a larger context window, fewer tools or surfaces, or shorter instructions.`,
    { data: { total, contextWindow, system, tools, memory } },
  );
}

async function fitInto(run: TurnRun, parts: readonly LongPart[], room: number): Promise<void> {
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

/** The part that the model has not answered: a prompt, or its calls with their results. */
function unanswered(messages: readonly StoredMessage[]): StoredMessage[] {
  return messages.slice(firstUnanswered(messages)).filter(({ inWarning }) => !inWarning);
}

/** The parts of messages with their whole text and the tokens they take in the prompt now. */
function shownParts(
  { prompt }: PromptNow,
  { config }: TurnRun,
  messages: readonly StoredMessage[],
): LongPart[] {
  const { countTokens, tokenizer } = config;
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

/** A part of a message that the prompt can show without its middle. */
interface LongPart {
  kind: "prompt" | "result" | "call" | "answer";
  key: string;
  message: number;
  /** The tool of a result or a call, else "". */
  tool: string;
  text: string;
  /** The texts that are cut, if they are only a piece of `text`: the arguments of a call. */
  pieces?: string[];
  /** Tokens it takes now. */
  tokens: number;
}

/** The parts of a message with their whole texts. `tokensOf` gives what each takes in the prompt now. */
function partsOf(stored: StoredMessage, tokensOf: (text: string) => number): LongPart[] {
  const { number, message } = stored;
  if (message.role === "system") return [];
  const role = message.role === "user" ? ("prompt" as const) : ("answer" as const);
  const part = (index: number, kind: LongPart["kind"], text: string, tool = ""): LongPart => ({
    kind,
    key: partKey(number, index),
    message: number,
    tool,
    text,
    tokens: tokensOf(text),
  });
  if (typeof message.content === "string") return [part(0, role, message.content)];
  return message.content.flatMap((content, index): LongPart[] => {
    if (content.type === "text") return [part(index, role, content.text)];
    // Images and files in a result cannot be cut.
    if (content.type === "tool-result" && content.output.type !== "content")
      return [part(index, "result", resultText(content.output), content.toolName)];
    if (content.type === "tool-call") {
      const { input, toolName } = content;
      return [{ ...part(index, "call", JSON.stringify(input) ?? "", toolName), pieces: textsIn(input) }];
    }
    return [];
  });
}

/** Shows parts of messages without their middle, each in about the given number of tokens. */
async function shorten(
  { agent, config, emit }: TurnRun,
  parts: readonly (LongPart & { room: number })[],
): Promise<boolean> {
  const { countTokens, tokenizer } = config;
  const offered = new Set(agent.tools.map(({ name }) => name));
  const cut = parts.flatMap((part) => {
    const room = Math.max(0, part.room - noteTokens) / tokenizer.ratio;
    const ends = endsOf(part, room, countTokens);
    if (!ends) return [];
    const note = noteFor(part, ends, offered);
    const saved = part.text.length - ends.head - ends.tail - note.length;
    // A short text is not worth a note.
    return saved > note.length ? [{ part, ends, note }] : [];
  });
  if (cut.length === 0) return false;
  await agent.session.apply(
    {
      type: "context.shorten",
      parts: cut.map(({ part, ends, note }) => ({ key: part.key, message: part.message, ...ends, note })),
    },
    asSystem,
  );
  for (const { part, ends } of cut) {
    const { kind, message, tool, text } = part;
    emit({
      type: "shortened",
      part: kind,
      message,
      tool,
      characters: text.length,
      shown: ends.head + ends.tail,
    });
  }
  return true;
}

/** In a call, only its longest arguments are cut. */
function endsOf(
  { text, pieces }: LongPart,
  room: number,
  countTokens: (text: string) => number,
): Ends | undefined {
  if (!pieces) return chooseEnds(text, room, countTokens);
  const longest = pieces.reduce((long, piece) => (piece.length > long.length ? piece : long), "");
  const others = countTokens(text) - countTokens(longest);
  return chooseEnds(longest, Math.max(0, room - others), countTokens);
}

/** Names the cut part, and how the agent reads it. */
function noteFor(part: LongPart, { head, tail }: Ends, offered: ReadonlySet<string>): string {
  const { kind, text, key, message } = part;
  if (kind === "call") return "[Cut here to fit the context window; the tool received the whole text.]";
  const to = text.length - tail;
  const lines = linesOf(text, head, to);
  const what = lines
    ? `lines ${lines.from} to ${lines.to} of ${lines.all} (${to - head} characters)`
    : `characters ${head} to ${to} of ${text.length}`;
  const cut = `Cut here to fit the context window: ${what}.`;
  if (kind === "result") {
    const where = lines ? `range "${lines.from}-${lines.to}"` : `offset ${head}`;
    return offered.has("recall_result")
      ? `[${cut} Call recall_result with id "${key}" and ${where} to read them.]`
      : `[${cut} Call the tool again for a smaller part to read them.]`;
  }
  const owner = kind === "prompt" ? "Ask the user for what you need of it." : "";
  return offered.has("recall")
    ? `[${cut} Call recall with from "${passageAt(message, text, head)}" to read them.]`
    : `[${[cut, owner].filter(Boolean).join(" ")}]`;
}

/** The lines between two offsets, if the cut begins and ends at lines. */
function linesOf(
  text: string,
  from: number,
  to: number,
): { from: number; to: number; all: number } | undefined {
  const startsLine = from === 0 || text[from - 1] === "\n";
  const endsLine = to === text.length || text[to - 1] === "\n";
  if (!startsLine || !endsLine) return undefined;
  const count = (end: number) => text.slice(0, end).split("\n").length;
  return { from: count(from), to: count(to - 1), all: count(text.length) };
}
