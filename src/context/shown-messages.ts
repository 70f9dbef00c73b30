import type { ModelMessage } from "ai";
import { readCleared, readExcerpts } from "../engine/conversation.ts";
import type { ClearedResult, Excerpt } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { partKey, resultText, type StoredMessage } from "./conversation.ts";
import { renderEnds } from "./excerpt.ts";

/** How the prompt shows a stored message: cleared results as one line, long parts without their middle. */
type ShowMessage = (stored: StoredMessage) => StoredMessage;

export function shownMessages(state: State): ShowMessage {
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
