import type { CompactionEvent } from "../compaction/events.ts";
import type { Usage } from "../compaction/usage.ts";

/** The events of a turn. */
export type AgentEvent =
  | { type: "text"; text: string }
  | { type: "tool-call"; id: string; tool: string; input: unknown }
  | { type: "tool-result"; id: string; tool: string; text: string; isError: boolean }
  | { type: "nudge"; text: string }
  | { type: "clearing"; results: number; tokens: number }
  | {
      /** A part of a message is too long for the window: the model sees only its beginning and its end. */
      type: "shortened";
      part: "prompt" | "result" | "call" | "answer";
      message: number;
      /** The tool of a result or a call, else "". */
      tool: string;
      characters: number;
      shown: number;
    }
  | {
      type: "usage";
      usage: Usage;
      reported: ReportedUsage;
    }
  | {
      /** The answer is not whole: it reached the output limit, or a filter of the provider stopped it. */
      type: "incomplete";
      reason: "length" | "filtered";
      message: string;
    }
  | CompactionEvent;

/** The provider's counts. */
export interface ReportedUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  /** Tokens read from the provider's cache, and written to it. */
  cachedTokens: number | undefined;
  cacheWriteTokens: number | undefined;
}

/** Buffers events until they are read. */
export class EventStream implements AsyncIterable<AgentEvent> {
  readonly #waiting: AgentEvent[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  push(event: AgentEvent): void {
    this.#waiting.push(event);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event) yield event;
      else if (this.#ended) return;
      else await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}
