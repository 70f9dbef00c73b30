/** A rendered part of memory, and its position in the prompt. */
export interface Block {
  surface: string;
  /** `system`: end of the system prompt. `message`: before the newest user message, never stored. */
  placement: "system" | "message";
  text: string;
  /** The end marker, needed if more text follows. */
  end?: string;
}

/** What to show the model of a session. */
export interface Context {
  /** Names of the surfaces in use. */
  surfaces: readonly string[];
  /** How to use the surfaces; identical in every turn. */
  guidance: string;
  blocks: readonly Block[];
  /** The blocks frozen at the start of the epoch, in order. */
  frozen: readonly string[];
  /** The guidance and the `system` blocks, joined in order. */
  system: string;
  /** The `message` blocks, or "". */
  message: string;
}

/** A block's text with its end marker, if more text follows. */
export function closedText({ text, end }: Block): string {
  return end === undefined ? text : `${text}\n${end}`;
}
