import type { Usage } from "../compaction/usage.ts";
import type { Checkpoint, CompactionTrigger, Receipt } from "../engine/conversation.ts";

/** What an agent's turn tells while it runs. */
export type AgentEvent =
  | { type: "text"; text: string }
  | { type: "tool-call"; id: string; tool: string; input: unknown }
  | { type: "tool-result"; id: string; tool: string; text: string; isError: boolean }
  | { type: "nudge"; text: string }
  | { type: "warning"; trigger: CompactionTrigger; skipped?: string }
  | { type: "checkpoint"; checkpoint: Checkpoint }
  | {
      type: "compaction";
      trigger: CompactionTrigger;
      from: number;
      to: number;
      summary: string;
      summaryBy: Receipt["summaryBy"];
    }
  | { type: "receipt"; receipt: Receipt }
  | { type: "clearing"; results: number; tokens: number }
  | {
      type: "usage";
      usage: Usage;
      reported: {
        inputTokens: number | undefined;
        outputTokens: number | undefined;
        cachedTokens: number | undefined;
      };
    }
  | { type: "error"; message: string };

/** Events that wait until somebody reads them. */
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
