import assert from "node:assert/strict";
import type { ChangeEvent } from "../../src/server/api.ts";

export interface ServerEvent {
  id: string;
  event: string;
  data: ChangeEvent & { launch: string };
}

/** Reads a stream of server-sent events, one at a time. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #aborter: AbortController;
  #text = "";
  readonly #decoder = new TextDecoder();

  constructor(body: ReadableStream<Uint8Array>, aborter: AbortController) {
    this.#reader = body.getReader();
    this.#aborter = aborter;
  }

  static async open(server: { url: string; token: string }, lastEventId?: string): Promise<EventReader> {
    const aborter = new AbortController();
    const response = await fetch(new URL("/api/events", server.url), {
      headers: {
        Authorization: `Bearer ${server.token}`,
        ...(lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }),
      },
      signal: aborter.signal,
    });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("Content-Type") ?? "", /^text\/event-stream/);
    assert.ok(response.body);
    return new EventReader(response.body, aborter);
  }

  /** The next event; undefined at the end of the stream. Skips comments. */
  async next(): Promise<ServerEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end === -1) {
        const { done, value } = await this.#reader.read();
        if (done) return undefined;
        this.#text += this.#decoder.decode(value, { stream: true });
        continue;
      }
      const lines = this.#text.slice(0, end).split("\n");
      this.#text = this.#text.slice(end + 2);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
      if (field("event") !== "")
        return {
          id: field("id"),
          event: field("event"),
          data: JSON.parse(field("data")) as ServerEvent["data"],
        };
    }
  }

  /** Reads until an event matches. */
  async until(matches: (event: ServerEvent) => boolean): Promise<ServerEvent[]> {
    const events: ServerEvent[] = [];
    for (;;) {
      const event = await this.next();
      assert.ok(event, `the stream ended after ${JSON.stringify(events)}`);
      events.push(event);
      if (matches(event)) return events;
    }
  }

  close(): void {
    this.#aborter.abort();
  }
}
