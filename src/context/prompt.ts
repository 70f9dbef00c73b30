import type { ModelMessage } from "ai";
import {
  readCleared,
  readExcerpts,
  readShownChanges,
  readSnapshot,
  readSpans,
} from "../engine/conversation.ts";
import type { ClearedResult, Excerpt, ShownChange } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { Placement } from "./blocks.ts";
import { type Context, closedTexts } from "./blocks.ts";
import { isFinalAnswer, partKey, resultText, type StoredMessage } from "./conversation.ts";
import { renderEnds } from "./excerpt.ts";
import { changeText } from "./shown-memory.ts";

export interface PromptInput {
  state: State;
  /** The surfaces' blocks for this state. */
  context: Context;
  /** The messages since the last summary, in order. */
  messages: readonly StoredMessage[];
  /** The text before the guidance: base prompt, skills, tool summaries. */
  base: string;
  placement: Placement;
  /** Hints for this turn only, before the newest user message. */
  steer?: string;
}

/** The category of a prompt message. */
export type MessagePart = "memory" | "summaries" | "history" | "results";

export interface Prompt {
  system: string;
  messages: ModelMessage[];
  /** The category of each message. A message prefixed with memory keeps its own category. */
  parts: MessagePart[];
  /** The stored conversation in the prompt: collapsed, with stubs, without injected memory. */
  conversation: StoredMessage[];
  /** The injected memory. */
  added: string[];
  /** The messages that change the system prompt, by index. */
  instructions: readonly number[];
}

/** One message of the prompt: a stored message, injected memory, or the summary. */
interface Slot {
  stored?: StoredMessage;
  summary?: string;
  /** Replaces the messages of a task. */
  collapsed?: boolean;
  /** The memory is a change of the system prompt. */
  isInstructions?: boolean;
  memory: string;
  /** Memory in a tool's result. */
  inResult?: string;
}

/** Plans the prompt of one model call. Never modifies the stored conversation. */
export function planPrompt({ state, context, messages, base, placement, steer = "" }: PromptInput): Prompt {
  const system = [base, context.guidance, ...systemBlocks(state, context, placement)]
    .filter((text) => text !== "")
    .join("\n\n");
  const before = [steer, ...messageBlocks(context, placement)].filter((text) => text !== "").join("\n\n");
  const slots = layOut(state, messages);
  const newest = before === "" ? undefined : newestUserSlot(slots, messages);
  if (newest) newest.memory = newest.memory === "" ? before : `${before}\n\n${newest.memory}`;
  return {
    system,
    messages: slots.map(messageOf),
    parts: slots.map(partOf),
    conversation: slots.flatMap(({ stored }) => (stored ? [stored] : [])),
    added: slots.flatMap(({ memory, inResult = "" }) => [memory, inResult].filter((text) => text !== "")),
    instructions: slots.flatMap(({ isInstructions }, index) => (isInstructions ? index : [])),
  };
}

/**
 * The slot of the newest user message; if it was collapsed or compacted, the text that stands in its place. A notice, for
 * example the warning before a compaction, stays a message of its own.
 */
function newestUserSlot(slots: Slot[], messages: readonly StoredMessage[]): Slot | undefined {
  const newest = messages.findLast(({ message }) => message.role === "user");
  return (
    slots.findLast(({ stored, collapsed }) => newest && !collapsed && stored?.number === newest.number) ??
    slots.findLast(({ collapsed, summary }) => collapsed || summary !== undefined) ??
    slots.findLast((slot) => !slot.isInstructions && messageOf(slot).role === "user")
  );
}

function messageOf({ stored, summary, memory }: Slot): ModelMessage {
  const message: ModelMessage | undefined =
    summary === undefined ? stored?.message : { role: "user", content: summary };
  if (!message) return { role: "user", content: memory };
  return memory === "" ? message : prefixed(message, memory);
}

function partOf({ stored, summary, collapsed }: Slot): MessagePart {
  if (summary !== undefined || collapsed) return "summaries";
  if (!stored) return "memory";
  return stored.message.role === "tool" ? "results" : "history";
}

function systemBlocks(state: State, context: Context, placement: Placement): string[] {
  if (placement === "message") return [];
  if (placement === "system")
    return context.blocks.filter((block) => block.placement === "system").map(({ text }) => text);
  return readSnapshot(state).map(({ text }) => text);
}

function messageBlocks(context: Context, placement: Placement): string[] {
  if (placement === "epoch") return [];
  const fromSystem =
    placement === "message" ? context.blocks.filter((block) => block.placement === "system") : [];
  // The scratchpad comes last, directly before the user's text.
  const blocks = [...fromSystem, ...context.blocks.filter((block) => block.placement === "message")];
  return closedTexts(context, blocks);
}

/** The conversation with spans collapsed, messages as shown, and this epoch's changes injected. */
function layOut(state: State, messages: readonly StoredMessage[]): Slot[] {
  const spans = readSpans(state).map(([, span]) => span);
  const show = shownMessages(state);
  // A change goes before the next message that is there: the prompt may leave out the one it was written before.
  let waiting = readShownChanges(state);
  const changesUpTo = (number: number) => {
    const due = waiting.filter(({ before }) => before <= number);
    if (due.length > 0) waiting = waiting.filter(({ before }) => before > number);
    return due;
  };
  const slots: Slot[] = [];
  const put = (before: readonly ShownChange[], stored?: StoredMessage) => {
    // Instructions stand alone: the agent's own system prompt and skills.
    const instructions = before.filter(({ surface }) => surface === "knowledge").map(changeText);
    const changed = instructions.map((memory) => ({ memory, isInstructions: true }));
    // Nothing may come between a call and its result.
    const isResult = stored?.message.role === "tool";
    if (!isResult) slots.push(...changed);
    const others = before.filter(({ surface }) => surface !== "knowledge");
    const last = stored?.message.role === "user" || isResult ? undefined : slots.at(-1);
    // Within a turn, memory belongs to the result that it follows: a message of the user would interrupt the agent.
    const blocks = others.filter(({ surface }) => surface !== "").map(changeText);
    const inResult = last && blocks.length > 0 ? withResult(last, blocks.join("\n\n")) : undefined;
    if (inResult) slots[slots.length - 1] = inResult;
    const memory = (inResult ? others.filter(({ surface }) => surface === "") : others)
      .map(changeText)
      .join("\n\n");
    if (stored && (memory === "" || stored.message.role === "user")) slots.push({ memory, stored });
    else {
      const added = memory === "" ? [] : [{ memory }];
      const original = stored ? [{ memory: "", stored }] : [];
      slots.push(...(isResult ? [...original, ...added] : [...added, ...original]));
    }
    if (isResult) slots.push(...changed);
  };

  const summary = spans.find(({ kind }) => kind === "summary");
  if (summary) slots.push({ memory: "", summary: summary.text });
  let hiddenUntil = summary?.to ?? 0;
  for (const stored of messages) {
    const { number, message } = stored;
    const span = spans.find(({ kind, from, to }) => kind !== "summary" && number >= from && number <= to);
    if (span && number > hiddenUntil) {
      slots.push({
        memory: "",
        stored: { ...stored, message: { role: "user", content: span.text } },
        collapsed: true,
      });
      for (const ask of unansweredAsks(span, messages)) put([], show(ask));
      hiddenUntil = span.to;
    }
    // If a call is hidden, hide its result too.
    const hidden =
      number <= hiddenUntil ||
      (message.role === "tool" && number === hiddenUntil + 1 && isTaskEnd(spans, hiddenUntil));
    if (hidden && number > hiddenUntil) hiddenUntil = number;
    put(changesUpTo(number), hidden || isEmpty(message) ? undefined : show(stored));
  }
  put(waiting);
  return slots;
}

/** The slot of a tool's result with memory after it; undefined if it is another slot, or has no text. */
function withResult(slot: Slot, memory: string): Slot | undefined {
  const { stored } = slot;
  if (stored?.message.role !== "tool" || slot.collapsed) return undefined;
  const last = stored.message.content.at(-1);
  if (last?.type !== "tool-result" || (last.output.type !== "text" && last.output.type !== "error-text"))
    return undefined;
  const known = withMemory.get(stored.message);
  if (known?.memory === memory)
    return { ...slot, inResult: memory, stored: { ...stored, message: known.message } };
  const output = { ...last.output, value: `${last.output.value}\n\n${memory}` };
  const content = [...stored.message.content.slice(0, -1), { ...last, output }];
  const message = { ...stored.message, content };
  withMemory.set(stored.message, { memory, message });
  return { ...slot, inResult: memory, stored: { ...stored, message } };
}

/** The last view of each message, so that values cached for the view stay valid. */
const withMemory = new WeakMap<ModelMessage, { memory: string; message: ModelMessage }>();

/** A task may collapse while the user still waits for an answer, so unanswered user messages stay. */
function unansweredAsks(
  { from, to }: { from: number; to: number },
  messages: readonly StoredMessage[],
): StoredMessage[] {
  const inside = messages.filter(({ number }) => number >= from && number <= to);
  const answered = inside.findLastIndex((stored) => isFinalAnswer(stored) && !isEmpty(stored.message));
  return inside.slice(answered + 1).filter(({ message }) => message.role === "user");
}

function isTaskEnd(spans: readonly { to: number; kind: string }[], number: number): boolean {
  return spans.some(({ to, kind }) => kind !== "summary" && to === number);
}

/** An answer without text and calls; providers reject it. */
function isEmpty({ role, content }: ModelMessage): boolean {
  if (role !== "assistant") return false;
  if (typeof content === "string") return content === "";
  return content.every((part) => part.type === "reasoning" || (part.type === "text" && part.text === ""));
}

function prefixed(message: ModelMessage, before: string): ModelMessage {
  if (message.role !== "user") return message;
  if (typeof message.content === "string") return { ...message, content: `${before}\n\n${message.content}` };
  return { ...message, content: [{ type: "text", text: `${before}\n\n` }, ...message.content] };
}

/**
 * Providers that read a system message anywhere in a conversation. Others refuse it, move it to the front, or leave it
 * to the chat template of a model, which may refuse it too. `provider` as in `cacheKindOf`.
 */
export function allowsSystemAnywhere(provider: string): boolean {
  return /^(?:openai|azure|azure-openai)(?:[./]|$)/i.test(provider);
}

/** The messages of a prompt with changes of the system prompt in the system role, where the provider allows it. */
export function withSystemRole(
  { messages, instructions }: Pick<Prompt, "messages" | "instructions">,
  provider: string,
): ModelMessage[] {
  if (instructions.length === 0 || !allowsSystemAnywhere(provider)) return messages;
  return messages.map((message, index) =>
    instructions.includes(index) && typeof message.content === "string"
      ? { role: "system", content: message.content }
      : message,
  );
}

/** How the prompt shows a stored message: cleared results as one line, long parts without their middle. */
export type ShowMessage = (stored: StoredMessage) => StoredMessage;

function shownMessages(state: State): ShowMessage {
  const cleared = new Map(readCleared(state));
  const excerpts = new Map(readExcerpts(state));
  if (cleared.size === 0 && excerpts.size === 0) return (stored) => stored;
  const changed = new Set([...cleared.values(), ...excerpts.values()].map(({ message }) => message));
  return (stored) =>
    changed.has(stored.number)
      ? cachedView(stored, {
          stubOf: (index) => cleared.get(partKey(stored.number, index)),
          excerptOf: (index) => excerpts.get(partKey(stored.number, index)),
        })
      : stored;
}

interface Changes {
  stubOf(index: number): ClearedResult | undefined;
  excerptOf(index: number): Excerpt | undefined;
}

/** The last view of each message, so that values cached for the view stay valid while nothing changes. */
const views = new WeakMap<ModelMessage, { changes: string; view: StoredMessage }>();

function cachedView(stored: StoredMessage, changes: Changes): StoredMessage {
  const { content } = stored.message;
  const parts = typeof content === "string" ? [content] : content;
  const key = JSON.stringify(parts.map((_, index) => [changes.stubOf(index), changes.excerptOf(index)]));
  const known = views.get(stored.message);
  if (known?.changes === key) return known.view;
  const view = { ...stored, message: changedMessage(stored, changes) };
  views.set(stored.message, { changes: key, view });
  return view;
}

function changedMessage({ number, message }: StoredMessage, { stubOf, excerptOf }: Changes): ModelMessage {
  if (typeof message.content === "string") {
    const excerpt = excerptOf(0);
    return excerpt ? ({ ...message, content: cutText(message.content, excerpt) } as ModelMessage) : message;
  }
  const content = message.content.map((part, index) => {
    if (part.type === "tool-result") {
      const stub = stubOf(index);
      const excerpt = excerptOf(index);
      if (stub) return withText(part, stubText(partKey(number, index), stub.summary), "text");
      return excerpt ? withText(part, cutText(resultText(part.output), excerpt), kindOf(part)) : part;
    }
    const excerpt = excerptOf(index);
    if (!excerpt) return part;
    if (part.type === "tool-call") return { ...part, input: cutTexts(part.input, excerpt) };
    return part.type === "text" ? { ...part, text: cutText(part.text, excerpt) } : part;
  });
  return { ...message, content } as ModelMessage;
}

type ResultPart = Extract<
  Extract<ModelMessage, { role: "tool" }>["content"][number],
  { type: "tool-result" }
>;

function kindOf({ output }: ResultPart): "text" | "error-text" {
  return output.type.startsWith("error") ? "error-text" : "text";
}

function withText(part: ResultPart, value: string, type: "text" | "error-text"): ResultPart {
  return { ...part, output: { type, value } };
}

function cutText(text: string, { note, ...ends }: Excerpt): string {
  return renderEnds(text, ends, note);
}

/** Cuts every long text in a call's input. */
function cutTexts(input: unknown, excerpt: Excerpt): unknown {
  if (typeof input === "string")
    return input.length > excerpt.head + excerpt.tail + excerpt.note.length ? cutText(input, excerpt) : input;
  if (typeof input !== "object" || input === null) return input;
  if (Array.isArray(input)) return input.map((item) => cutTexts(item, excerpt));
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, cutTexts(value, excerpt)]));
}

function stubText(key: string, summary: string): string {
  return `[Result cleared: ${summary} Call recall_result with id "${key}" to read it again.]`;
}
