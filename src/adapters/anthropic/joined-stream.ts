import { HoldfastError } from "../../errors.ts";

/** The fields of a stream's events that we read or change. */
export interface AnthropicEvent {
  type: string;
  index?: number;
  message?: object;
  content_block?: { type: string };
  delta?: object;
}

/** A stream of the SDK: that of `messages.stream`, or that of `messages.create` with `stream: true`. */
export type EventStream<Event, Final> = AsyncIterable<Event> & { finalMessage?: () => Promise<Final> };

export interface StreamOptions<Event, Final> {
  /** Sends the request, with what the API has compacted so far as the newest message. */
  send: (compacted: readonly { type: string }[]) => Promise<EventStream<Event, Final>>;
  /** Called in the pause after a compaction. */
  pause: (content: readonly { type: string }[]) => Promise<void>;
  maxPauses: number;
}

/**
 * The streams of one answer as one: the API ends a stream where it pauses after a compaction, and the next request goes
 * on. The reader sees a single message whose content begins with the compaction.
 */
export class JoinedStream<Event extends AnthropicEvent, Final extends { content: readonly object[] }>
  implements AsyncIterable<Event>
{
  readonly #options: StreamOptions<Event, Final>;
  readonly #events: AsyncGenerator<Event>;
  readonly #compacted: { type: string }[] = [];
  #last: EventStream<Event, Final> | undefined;
  #isWhole = false;

  constructor(options: StreamOptions<Event, Final>) {
    this.#options = options;
    this.#events = this.#join();
  }

  [Symbol.asyncIterator](): AsyncGenerator<Event> {
    return this.#events;
  }

  /** The whole answer; events that were not read are skipped. Only for streams of `messages.stream`. */
  async finalMessage(): Promise<Final> {
    for await (const _event of this.#events);
    if (!this.#isWhole)
      throw new HoldfastError(
        "invalid_input",
        "The stream was left before its end: it has no final message.",
      );
    if (!this.#last?.finalMessage)
      throw new HoldfastError(
        "invalid_input",
        'This stream has no final message: pass stream: (params) => client.beta.messages.stream(params), or put the message together from the events of "stream: true".',
      );
    const message = await this.#last.finalMessage();
    return this.#compacted.length === 0
      ? message
      : { ...message, content: [...this.#compacted, ...message.content] };
  }

  async *#join(): AsyncGenerator<Event> {
    const { send, pause, maxPauses } = this.#options;
    for (let pauses = 0; ; pauses++) {
      this.#last = await send(this.#compacted);
      const first = this.#compacted.length;
      const content: { type: string }[] = [];
      let isPaused = false;
      for await (const event of this.#last) {
        collect(content, event);
        isPaused ||= pauses < maxPauses && isPause(event);
        // The reader's message has begun before a pause and goes on after it.
        if (isPaused || (pauses > 0 && event.type === "message_start")) continue;
        yield inMessage(event, first);
      }
      if (!isPaused) break;
      await pause(content);
      this.#compacted.push(...content);
    }
    this.#isWhole = true;
  }
}

/**
 * An event of the joined message, in which `first` blocks come before those of this stream. The SDK goes on to fill the
 * message of the first event while we read, so its content is emptied again.
 */
function inMessage<Event extends AnthropicEvent>(event: Event, first: number): Event {
  if (event.message) return { ...event, message: { ...event.message, content: [] } };
  return event.index === undefined ? event : { ...event, index: event.index + first };
}

function isPause({ type, delta }: AnthropicEvent): boolean {
  return type === "message_delta" && (delta as { stop_reason?: unknown })?.stop_reason === "compaction";
}

/** Puts together what a pause needs: a compaction comes in one delta. */
function collect(
  content: { type: string }[],
  { type, index = 0, content_block, delta }: AnthropicEvent,
): void {
  if (type === "content_block_start" && content_block) content[index] = content_block;
  const block = content[index];
  if (type === "content_block_delta" && block?.type === "compaction")
    content[index] = { ...block, ...delta, type: block.type };
}
