import type { ModelMessage } from "ai";
import { readShownChanges, readSnapshot, readSpans } from "../engine/conversation.ts";
import type { ShownChange } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { Placement } from "./blocks.ts";
import { type Context, closedTexts } from "./blocks.ts";
import { isFinalAnswer, type StoredMessage } from "./conversation.ts";
import { changeText } from "./shown-memory.ts";
import { shownMessages } from "./shown-messages.ts";

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
      for (const ask of unansweredAsks(span, messages)) slots.push({ memory: "", stored: show(ask) });
      hiddenUntil = span.to;
    }
    // If a call is hidden, hide its result too.
    const hidden =
      number <= hiddenUntil ||
      (message.role === "tool" && number === hiddenUntil + 1 && isTaskEnd(spans, hiddenUntil));
    if (hidden && number > hiddenUntil) hiddenUntil = number;
    addTo(slots, changesUpTo(number), hidden || isEmpty(message) ? undefined : show(stored));
  }
  addTo(slots, waiting, undefined);
  return slots;
}

/** Adds a message, if it is shown, and the changes that were written before it. */
function addTo(slots: Slot[], changes: readonly ShownChange[], stored: StoredMessage | undefined): void {
  // Instructions stand alone: the agent's own system prompt and skills.
  const instructions = changes
    .filter(({ surface }) => surface === "knowledge")
    .map((change) => ({ memory: changeText(change), isInstructions: true }));
  const others = changes.filter(({ surface }) => surface !== "knowledge");
  const isResult = stored?.message.role === "tool";
  // Nothing may come between a call and its result.
  if (!isResult) slots.push(...instructions);
  const isWithinTurn = stored?.message.role !== "user" && !isResult;
  const memory = (isWithinTurn ? addToResult(slots, others) : others).map(changeText).join("\n\n");
  if (!stored) {
    if (memory !== "") slots.push({ memory });
  } else if (memory === "" || stored.message.role === "user") slots.push({ memory, stored });
  else if (isResult) slots.push({ memory: "", stored }, { memory });
  else slots.push({ memory }, { memory: "", stored });
  if (isResult) slots.push(...instructions);
}

/**
 * Within a turn, memory belongs to the result that it follows: a message of the user would interrupt the agent. Returns the
 * changes that have no place there.
 */
function addToResult(slots: Slot[], changes: readonly ShownChange[]): readonly ShownChange[] {
  const last = slots.at(-1);
  const blocks = changes.filter(({ surface }) => surface !== "");
  const withBlocks =
    last && blocks.length > 0 ? withResult(last, blocks.map(changeText).join("\n\n")) : undefined;
  if (!withBlocks) return changes;
  slots[slots.length - 1] = withBlocks;
  return changes.filter(({ surface }) => surface === "");
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
