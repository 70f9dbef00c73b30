import type { ModelMessage } from "ai";

/**
 * A framework's messages as model messages, and a prompt back as the framework's. A message is converted once, and one
 * that Holdfast only passes on goes out as the object that it came as.
 */
export class Originals<Message extends object> {
  readonly #originals = new WeakMap<ModelMessage, Message>();
  readonly #converted = new WeakMap<Message, ModelMessage>();

  toModel(message: Message, convert: (message: Message) => ModelMessage): ModelMessage {
    const known = this.#converted.get(message);
    if (known) return known;
    const converted = convert(message);
    this.#converted.set(message, converted);
    this.#originals.set(converted, message);
    return converted;
  }

  /** `convert` makes the messages that Holdfast wrote or changed. */
  fromModel(prompt: readonly ModelMessage[], convert: (message: ModelMessage) => Message[]): Message[] {
    return prompt.flatMap((message) => {
      const original = this.#originals.get(message);
      return original ? [original] : convert(message);
    });
  }
}
