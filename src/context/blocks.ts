/** A piece of rendered memory, and where it goes. */
export interface Block {
  surface: string;
  /** `system`: at the end of the system prompt. `message`: before the newest user message, never stored. */
  placement: "system" | "message";
  text: string;
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
  /** End markers by surface, for blocks that need one where anything follows. */
  ends: Readonly<Record<string, string>>;
  /** Guidance and the blocks for the system prompt, in their order there. */
  system: string;
  /** The blocks for the message, or "". */
  message: string;
}

/** The blocks' texts, each with its end, for a place where more follows. */
export function closedTexts({ ends }: Context, blocks: readonly Block[]): string[] {
  return blocks.map(({ surface, text }) =>
    ends[surface] === undefined ? text : `${text}\n${ends[surface]}`,
  );
}
