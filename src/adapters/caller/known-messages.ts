import type { ModelMessage } from "ai";
import { type StoredMessage, toStored } from "../../context/conversation.ts";
import type { Session } from "../../sessions/session.ts";

/** A session's stored messages by fingerprint, to find the new messages in a caller's list. */
export class KnownMessages {
  /** By number, from 1; undefined for messages of a warning turn, which no caller has in its list. */
  readonly #prints: (string | undefined)[] = [undefined];
  readonly #numbers = new Map<string, number[]>();
  readonly #times: number[] = [0];
  readonly #fingerprints = new WeakMap<ModelMessage, string>();

  /** Reads messages stored since the last call, by this process or another. */
  async catchUp(session: Session): Promise<void> {
    const { row } = await session.state();
    const next = this.#prints.length;
    if (next > row.counters.lastMessage) return;
    const values = await session.messages(next, row.counters.lastMessage);
    for (const [index, value] of values.entries()) {
      // Two calls may catch up concurrently; add each message once.
      if (this.#prints.length === next + index) this.#push(toStored(next + index, value));
    }
  }

  /** When a message was stored. */
  at(number: number): number {
    return this.#times[number] ?? 0;
  }

  /** The numbers of a list's messages up to the first new one. They always increase: an edited list is a new branch. */
  align(messages: readonly ModelMessage[]): number[] {
    const prints = messages.map((message) => this.#fingerprint(message));
    const numbers: number[] = [];
    while (numbers.length < prints.length) {
      const run = this.#longestRun(prints, numbers.length, numbers.at(-1) ?? 0);
      if (run === undefined) break;
      for (let step = 0; step < run.length; step++) numbers.push(run.start + step);
    }
    // The same text again after an answer is a new turn.
    const last = numbers.at(-1);
    const isWhole = numbers.length === messages.length && messages.at(-1)?.role === "user";
    if (last !== undefined && isWhole && this.#isAnswered(last)) numbers.pop();
    return numbers;
  }

  #longestRun(prints: readonly string[], from: number, after: number) {
    let best: { start: number; length: number } | undefined;
    for (const start of this.#numbers.get(prints[from] ?? "") ?? []) {
      if (start <= after) continue;
      let length = 1;
      while (from + length < prints.length && this.#prints[start + length] === prints[from + length])
        length++;
      // Of runs with equal length take the newest: an older one belongs to a finished turn.
      if (!best || length >= best.length) best = { start, length };
    }
    return best;
  }

  #isAnswered(number: number): boolean {
    const next = this.#prints.slice(number + 1).find((print) => print !== undefined);
    return next?.startsWith("assistant") ?? false;
  }

  #fingerprint(message: ModelMessage): string {
    const known = this.#fingerprints.get(message);
    if (known !== undefined) return known;
    const print = fingerprint(message);
    this.#fingerprints.set(message, print);
    return print;
  }

  #push({ number, message, inWarning, at }: StoredMessage): void {
    const print = inWarning ? undefined : this.#fingerprint(message);
    this.#prints.push(print);
    this.#times.push(at);
    if (print === undefined) return;
    const numbers = this.#numbers.get(print);
    if (numbers) numbers.push(number);
    else this.#numbers.set(print, [number]);
  }
}

/** Identifies a message by what survives every conversion: its text, or the ids of its tool calls. */
export function fingerprint({ role, content }: ModelMessage): string {
  if (typeof content === "string") return `${role} 0 ${asStored(content)}`;
  const ids = content.flatMap((part) =>
    part.type === "tool-call" || part.type === "tool-result" ? [part.toolCallId] : [],
  );
  // The SDK joins neighbouring tool messages, so only the first id is stable.
  if (role === "tool") return `tool ${ids[0] ?? ""}`;
  if (ids.length > 0) return `${role} calls ${ids.join(" ")}`;
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const files = content.filter(({ type }) => type === "file" || type === "image").length;
  return `${role} ${files} ${asStored(text)}`;
}

function asStored(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}

/** The fields of a message part that may contain bytes. */
interface Part {
  type: string;
  data?: unknown;
  image?: unknown;
  output?: { type: string; value?: unknown };
}

/** Strips images and files from messages, so that they are neither stored nor counted as text, and restores them. */
export class FileBytes {
  readonly #light = new WeakMap<ModelMessage, ModelMessage>();
  readonly #originals = new WeakMap<object, object>();

  /** A message with placeholders for its images and files. */
  without(message: ModelMessage): ModelMessage {
    const known = this.#light.get(message);
    if (known) return known;
    const parts = typeof message.content === "string" ? [] : (message.content as Part[]);
    const light = parts.map((part) => this.#lightPart(part));
    const isSame = light.every((part, index) => part === parts[index]);
    const result = isSame ? message : ({ ...message, content: light } as ModelMessage);
    this.#light.set(message, result);
    return result;
  }

  /** Restores the stripped content. */
  with(message: ModelMessage): ModelMessage {
    if (typeof message.content === "string") return message;
    const parts = message.content as Part[];
    if (!parts.some((part) => this.#originals.has(part))) return message;
    return { ...message, content: parts.map((part) => this.#originals.get(part) ?? part) } as ModelMessage;
  }

  #lightPart(part: Part): Part {
    const light = lightVersion(part);
    if (light !== part) this.#originals.set(light, part);
    return light;
  }
}

function lightVersion(part: Part): Part {
  const { data, image, output } = part;
  if (sizeOf(data) > 0) return { ...part, data: placeholder(data) };
  if (sizeOf(image) > 0) return { ...part, image: placeholder(image) };
  if (output?.type !== "content" || !Array.isArray(output.value)) return part;
  const items = output.value as Part[];
  const light = items.map((item) =>
    sizeOf(item.data) > 0 ? { ...item, data: placeholder(item.data) } : item,
  );
  const isSame = light.every((item, index) => item === items[index]);
  return isSame ? part : { ...part, output: { ...output, value: light } };
}

function placeholder(data: unknown): string {
  return `[${sizeOf(data)} bytes, not kept]`;
}

/** Size of a file's content in bytes; 0 for a URL and for anything that is not file content. */
function sizeOf(data: unknown): number {
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return data.byteLength;
  if (typeof data === "string") return /^https?:/.test(data) ? 0 : Math.floor((data.length * 3) / 4);
  const { type, data: inner } = (data ?? {}) as { type?: unknown; data?: unknown };
  return type === "data" ? sizeOf(inner) : 0;
}
