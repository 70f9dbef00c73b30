/** Where memory goes: frozen with changes at the end, in the system prompt, or before the newest user message. */
export type Placement = (typeof placements)[number];

export const placements = ["epoch", "system", "message"] as const;

/** A rendered part of memory, and its position in the prompt. */
export interface Block {
  surface: string;
  /** `system`: end of the system prompt. `message`: before the newest user message, never stored. */
  placement: "system" | "message";
  text: string;
  /** The agent has written nothing to it: the text is a hint. */
  isEmpty?: true;
  /** The whole text, where it is shown shortened. */
  cutFrom?: string;
  /** How the agent reads the whole of it where the block is shortened. */
  whole?: string;
}

/** The texts of a session for the model. */
export interface Context {
  /** Names of the surfaces in use. */
  surfaces: readonly string[];
  /** How to use the surfaces; identical in every turn. */
  guidance: string;
  blocks: readonly Block[];
  /** End markers by surface, needed where more text follows the block. */
  ends: Readonly<Record<string, string>>;
  /** The guidance and the `system` blocks, joined in order. */
  system: string;
  /** The `message` blocks, or "". */
  message: string;
}

/** The blocks' texts with their end markers, for a place where more text follows. */
export function closedTexts({ ends }: Context, blocks: readonly Block[]): string[] {
  return blocks.map(({ surface, text }) =>
    ends[surface] === undefined ? text : `${text}\n${ends[surface]}`,
  );
}
