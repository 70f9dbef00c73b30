import type { ModelMessage } from "ai";

/** A part of a message, as far as bytes can be in it. */
interface Part {
  type: string;
  data?: unknown;
  image?: unknown;
  output?: { type: string; value?: unknown };
}

/** Pictures and files of a conversation: they stay with the caller and are not counted as if they were text. */
export class FileBytes {
  readonly #light = new WeakMap<ModelMessage, ModelMessage>();
  readonly #originals = new WeakMap<object, object>();

  /** A message with its pictures and files named but left out. */
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

  /** Puts back what was left out. */
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
  if (sizeOf(data) > 0) return { ...part, data: leftOut(data) };
  if (sizeOf(image) > 0) return { ...part, image: leftOut(image) };
  if (output?.type !== "content" || !Array.isArray(output.value)) return part;
  const items = output.value as Part[];
  const light = items.map((item) => (sizeOf(item.data) > 0 ? { ...item, data: leftOut(item.data) } : item));
  const isSame = light.every((item, index) => item === items[index]);
  return isSame ? part : { ...part, output: { ...output, value: light } };
}

function leftOut(data: unknown): string {
  return `[${sizeOf(data)} bytes, not kept]`;
}

/** Bytes of a file's content; 0 for an address and for everything that is no content. */
function sizeOf(data: unknown): number {
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return data.byteLength;
  if (typeof data === "string") return /^https?:/.test(data) ? 0 : Math.floor((data.length * 3) / 4);
  const { type, data: inner } = (data ?? {}) as { type?: unknown; data?: unknown };
  return type === "data" ? sizeOf(inner) : 0;
}
