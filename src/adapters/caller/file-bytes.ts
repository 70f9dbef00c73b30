import type { ModelMessage } from "ai";

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
