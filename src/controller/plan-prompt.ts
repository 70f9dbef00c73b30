import type { ModelMessage } from "ai";
import { renderNotepad } from "../context/blocks.ts";
import { readCleared, readInjections, readSnapshot, readSpans } from "../engine/conversation.ts";
import type { State } from "../engine/state.ts";
import type { Context } from "../sessions/options.ts";
import type { StoredMessage } from "./conversation.ts";

/** Where volatile memory stands: frozen with changes at the tail, in the system prompt, or before the newest message. */
export type Placement = "epoch" | "system" | "message";

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

export interface Prompt {
  system: string;
  messages: ModelMessage[];
}

/** What one model call is given. The stored conversation is read and never changed. */
export function planPrompt({ state, context, messages, base, placement, steer = "" }: PromptInput): Prompt {
  const system = [base, context.guidance, ...systemBlocks(state, context, placement)].filter((text) => text !== "").join("\n\n");
  const before = [steer, ...messageBlocks(context, placement)].filter((text) => text !== "").join("\n\n");
  const conversation = conversationOf(state, messages);
  const newest = before === "" ? -1 : conversation.findLastIndex(({ role }) => role === "user");
  return {
    system,
    messages: conversation.map((message, index) => (index === newest ? prefixed(message, before) : message)),
  };
}

function systemBlocks(state: State, context: Context, placement: Placement): string[] {
  if (placement === "message") return [];
  if (placement === "system") return context.blocks.filter((block) => block.placement === "system").map(({ text }) => text);
  const { blocks, notepad } = readSnapshot(state);
  return [...blocks, context.surfaces.includes("notepad") ? renderNotepad(notepad) : ""];
}

/** What an epoch freezes besides the notepad: the other surfaces' blocks. */
export function blocksToFreeze(context: Context): string[] {
  return context.blocks.filter(({ surface }) => surface !== "notepad").map(({ text }) => text);
}

function messageBlocks(context: Context, placement: Placement): string[] {
  if (placement === "epoch") return [];
  const wanted = context.blocks.filter((block) => placement === "message" || block.placement === "message");
  return wanted.map(({ text }) => text);
}

/** The conversation with its spans collapsed, its cleared results as stubs, and this epoch's changes in their places. */
function conversationOf(state: State, messages: readonly StoredMessage[]): ModelMessage[] {
  const spans = readSpans(state).map(([, span]) => span);
  const cleared = new Map(readCleared(state));
  const injections = Map.groupBy(readInjections(state), ({ before }) => before);
  const out: ModelMessage[] = [];
  const inject = (number: number): string =>
    (injections.get(number) ?? []).map(({ text }) => text).join("\n\n");

  const summary = spans.find(({ kind }) => kind === "summary");
  if (summary) out.push({ role: "user", content: summary.text });
  let hiddenUntil = summary?.to ?? 0;
  let next = hiddenUntil + 1;
  for (const { number, message } of messages) {
    next = number + 1;
    const change = inject(number);
    const span = spans.find(({ kind, from, to }) => kind !== "summary" && number >= from && number <= to);
    if (span && number > hiddenUntil) {
      out.push({ role: "user", content: span.text });
      hiddenUntil = span.to;
    }
    // A result belongs to its call: when the call is hidden, so is what answers it.
    const hidden = number <= hiddenUntil || (message.role === "tool" && number === hiddenUntil + 1 && endsInCall(spans, hiddenUntil));
    if (hidden) {
      if (number > hiddenUntil) hiddenUntil = number;
      if (change !== "") out.push({ role: "user", content: change });
      continue;
    }
    const shown = stubbed(message, cleared);
    if (change === "") out.push(shown);
    else if (shown.role === "user") out.push(prefixed(shown, change));
    else out.push({ role: "user", content: change }, shown);
  }
  const tail = inject(next);
  if (tail !== "") out.push({ role: "user", content: tail });
  return out;
}

function endsInCall(spans: readonly { to: number; kind: string }[], number: number): boolean {
  return spans.some(({ to, kind }) => kind !== "summary" && to === number);
}

function stubbed(message: ModelMessage, cleared: ReadonlyMap<string, { tool: string; summary: string }>): ModelMessage {
  if (message.role !== "tool" || cleared.size === 0) return message;
  return {
    ...message,
    content: message.content.map((part) => {
      const stub = part.type === "tool-result" ? cleared.get(part.toolCallId) : undefined;
      if (!stub || part.type !== "tool-result") return part;
      return { ...part, output: { type: "text" as const, value: stubText(part.toolCallId, stub.summary) } };
    }),
  };
}

export function stubText(id: string, summary: string): string {
  return `[Result cleared: ${summary} Call recall_result with id "${id}" to read it again.]`;
}

function prefixed(message: ModelMessage, before: string): ModelMessage {
  if (message.role !== "user") return message;
  if (typeof message.content === "string") return { ...message, content: `${before}\n\n${message.content}` };
  return { ...message, content: [{ type: "text", text: `${before}\n\n` }, ...message.content] };
}
