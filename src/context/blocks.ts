/** A piece of rendered memory, and where it goes. */
export interface Block {
  surface: string;
  /** `system`: at the end of the system prompt. `message`: before the newest user message, never stored. */
  placement: "system" | "message";
  text: string;
  /** The end marker that the text needs where anything follows it. */
  end?: string;
}

/** What the model is to see of a session. */
export interface Context {
  /** Names of the surfaces in use. */
  surfaces: readonly string[];
  /** How to use the registered surfaces; the same from turn to turn. */
  guidance: string;
  blocks: readonly Block[];
  /** What the epoch froze at its start, in the order of the blocks. */
  frozen: readonly string[];
  /** Guidance and the blocks for the system prompt, in their order there. */
  system: string;
  /** The blocks for the message, or "". */
  message: string;
}

/** A block's text with its end, for a place where more follows. */
export function closedText({ text, end }: Block): string {
  return end === undefined ? text : `${text}\n${end}`;
}
