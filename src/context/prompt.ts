import type { ModelMessage } from "ai";
import { readCleared, readInjections, readSpans } from "../engine/conversation.ts";
import type { ClearedResult } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { type Context, closedTexts } from "./blocks.ts";
import { isFinalAnswer, type StoredMessage } from "./conversation.ts";

/** Where volatile memory stands: frozen with changes at the tail, in the system prompt, or before the newest message. */
export type Placement = (typeof placements)[number];

export const placements = ["epoch", "system", "message"] as const;

export interface PromptInput {
  state: State;
  /** What the surfaces show of this state. */
  context: Context;
  /** The messages since the last summary, in order. */
  messages: readonly StoredMessage[];
  /** Base prompt, skills, tool summaries: what stands before the guidance. */
  base: string;
  placement: Placement;
  /** Hints for this turn only, before the newest user message. */
  steer?: string;
}

/** What a message of the prompt is spent on. */
export type MessagePart = "memory" | "summaries" | "history" | "results";

export interface Prompt {
  system: string;
  messages: ModelMessage[];
  /** For each message, what it is spent on; one with memory before what was said counts as what was said. */
  parts: MessagePart[];
  /** The stored conversation as it stands there: collapsed, with stubs, without what memory put in between. */
  conversation: StoredMessage[];
  /** What memory put in between. */
  added: string[];
}

/** One message of the prompt: what was stored, what memory puts before it, or the summary. */
interface Place {
  stored?: StoredMessage;
  summary?: string;
  /** It stands for the messages of a task. */
  collapsed?: boolean;
  memory: string;
}

/** What one model call is given. The stored conversation is read and never changed. */
export function planPrompt({ state, context, messages, base, placement, steer = "" }: PromptInput): Prompt {
  const system = [base, context.guidance, ...systemBlocks(context, placement)]
    .filter((text) => text !== "")
    .join("\n\n");
  const before = [steer, ...messageBlocks(context, placement)].filter((text) => text !== "").join("\n\n");
  const places = layOut(state, messages);
  const newest = before === "" ? undefined : newestUserPlace(places, messages);
  if (newest) newest.memory = newest.memory === "" ? before : `${before}\n\n${newest.memory}`;
  return {
    system,
    messages: places.map(messageOf),
    parts: places.map(partOf),
    conversation: places.flatMap(({ stored }) => (stored ? [stored] : [])),
    added: places.flatMap(({ memory }) => (memory === "" ? [] : [memory])),
  };
}

/** Where the newest thing stands that the user said; if it is gone, the newest that stands in the user's place. */
function newestUserPlace(places: Place[], messages: readonly StoredMessage[]): Place | undefined {
  const said = messages.findLast(({ message }) => message.role === "user");
  return (
    places.findLast(({ stored }) => said && stored?.message === said.message) ??
    places.findLast((place) => messageOf(place).role === "user")
  );
}

function messageOf({ stored, summary, memory }: Place): ModelMessage {
  const message: ModelMessage | undefined =
    summary === undefined ? stored?.message : { role: "user", content: summary };
  if (!message) return { role: "user", content: memory };
  return memory === "" ? message : prefixed(message, memory);
}

function partOf({ stored, summary, collapsed }: Place): MessagePart {
  if (summary !== undefined || collapsed) return "summaries";
  if (!stored) return "memory";
  return stored.message.role === "tool" ? "results" : "history";
}

function systemBlocks(context: Context, placement: Placement): string[] {
  if (placement === "message") return [];
  if (placement === "system")
    return context.blocks.filter((block) => block.placement === "system").map(({ text }) => text);
  return [...context.frozen];
}

/** What an epoch freezes besides the notepad: the other surfaces' blocks. */
export function blocksToFreeze(context: Context): string[] {
  return context.blocks.filter(({ surface }) => surface !== "notepad").map(({ text }) => text);
}

function messageBlocks(context: Context, placement: Placement): string[] {
  if (placement === "epoch") return [];
  const standing =
    placement === "message" ? context.blocks.filter((block) => block.placement === "system") : [];
  // The scratchpad is the last thing before what the user says.
  const wanted = [...standing, ...context.blocks.filter((block) => block.placement === "message")];
  return closedTexts(context, wanted);
}

/** The conversation with its spans collapsed, its cleared results as stubs, and this epoch's changes in their places. */
function layOut(state: State, messages: readonly StoredMessage[]): Place[] {
  const spans = readSpans(state).map(([, span]) => span);
  const cleared = new Map(readCleared(state));
  const injections = Map.groupBy(readInjections(state), ({ before }) => before);
  const inject = (number: number) => (injections.get(number) ?? []).map(({ text }) => text).join("\n\n");
  const places: Place[] = [];
  const put = (memory: string, stored?: StoredMessage) => {
    if (stored && (memory === "" || stored.message.role === "user")) places.push({ memory, stored });
    else {
      const added = memory === "" ? [] : [{ memory }];
      const said = stored ? [{ memory: "", stored }] : [];
      // Nothing may stand between a call and its result.
      places.push(...(stored?.message.role === "tool" ? [...said, ...added] : [...added, ...said]));
    }
  };

  const summary = spans.find(({ kind }) => kind === "summary");
  if (summary) places.push({ memory: "", summary: summary.text });
  let hiddenUntil = summary?.to ?? 0;
  let next = hiddenUntil + 1;
  for (const stored of messages) {
    const { number, message } = stored;
    next = number + 1;
    const span = spans.find(({ kind, from, to }) => kind !== "summary" && number >= from && number <= to);
    if (span && number > hiddenUntil) {
      places.push({
        memory: "",
        stored: { ...stored, message: { role: "user", content: span.text } },
        collapsed: true,
      });
      for (const ask of asksLeftBy(span, messages)) put("", ask);
      hiddenUntil = span.to;
    }
    // A result belongs to its call: when the call is hidden, so is what answers it.
    const hidden =
      number <= hiddenUntil ||
      (message.role === "tool" && number === hiddenUntil + 1 && endsInCall(spans, hiddenUntil));
    if (hidden && number > hiddenUntil) hiddenUntil = number;
    put(inject(number), hidden || isEmpty(message) ? undefined : stubbed(stored, cleared));
  }
  put(inject(next));
  return places;
}

/** A task may collapse while the user still waits for an answer; what was asked has to stay. */
function asksLeftBy(
  { from, to }: { from: number; to: number },
  messages: readonly StoredMessage[],
): StoredMessage[] {
  const inside = messages.filter(({ number }) => number >= from && number <= to);
  const answered = inside.findLastIndex((stored) => isFinalAnswer(stored) && !isEmpty(stored.message));
  return inside.slice(answered + 1).filter(({ message }) => message.role === "user");
}

function endsInCall(spans: readonly { to: number; kind: string }[], number: number): boolean {
  return spans.some(({ to, kind }) => kind !== "summary" && to === number);
}

/** An answer without a word and without a call; providers refuse it. */
function isEmpty({ role, content }: ModelMessage): boolean {
  if (role !== "assistant") return false;
  if (typeof content === "string") return content === "";
  return content.every((part) => part.type === "reasoning" || (part.type === "text" && part.text === ""));
}

function stubbed(stored: StoredMessage, cleared: ReadonlyMap<string, ClearedResult>): StoredMessage {
  const { message, number } = stored;
  if (message.role !== "tool" || cleared.size === 0) return stored;
  // Some models use an id again; only the result that was cleared is.
  const stubOf = (id: string) => (cleared.get(id)?.message === number ? cleared.get(id) : undefined);
  // What stays as it is stays the same object: what is known of it need not be worked out again.
  if (!message.content.some((part) => part.type === "tool-result" && stubOf(part.toolCallId))) return stored;
  const content = message.content.map((part) => {
    const stub = part.type === "tool-result" ? stubOf(part.toolCallId) : undefined;
    if (part.type !== "tool-result" || !stub) return part;
    return { ...part, output: { type: "text" as const, value: stubText(part.toolCallId, stub.summary) } };
  });
  return { ...stored, message: { ...message, content } };
}

export function stubText(id: string, summary: string): string {
  return `[Result cleared: ${summary} Call recall_result with id "${id}" to read it again.]`;
}

function prefixed(message: ModelMessage, before: string): ModelMessage {
  if (message.role !== "user") return message;
  if (typeof message.content === "string") return { ...message, content: `${before}\n\n${message.content}` };
  return { ...message, content: [{ type: "text", text: `${before}\n\n` }, ...message.content] };
}
