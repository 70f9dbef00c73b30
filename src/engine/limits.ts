import { type OptionKind, wholeNumber } from "./options.ts";

/** Limits of the surfaces. Characters are Unicode code points. */
export interface Limits {
  /** Characters in the notepad. */
  notepadCharacters: number;
  /** Characters in one note. */
  noteCharacters: number;
  /** Tags on one note. */
  noteTags: number;
  /** Characters in one tag. */
  tagCharacters: number;
  /** Characters in the scratchpad space `notes`. */
  spaceNotesCharacters: number;
  /** Characters in the scratchpad space `plan`. */
  spacePlanCharacters: number;
  /** References in the scratchpad. */
  refs: number;
  /** Characters in one reference. */
  refCharacters: number;
  /** UTF-8 bytes of all pins together; bytes, because hosts limit injected text in bytes. */
  pinBytes: number;
  /** Tokens of the scratchpad: all its spaces together. */
  scratchpadTokens: number;
  /** Tokens in one list of notes that a tool returns. */
  resultTokens: number;
  /** Characters in an agent's system prompt. */
  systemPromptCharacters: number;
  /** State keys per agent, and per session. */
  stateKeys: number;
  /** Characters in one state key. */
  stateKeyCharacters: number;
  /** Characters in one state value, as JSON. */
  stateValueCharacters: number;
  /** Saved skills per agent. */
  skills: number;
  /** Characters in one saved skill. */
  skillCharacters: number;
  /** Authored tools per agent. */
  tools: number;
  /** Characters in one authored tool. */
  toolCharacters: number;
}

export const defaultLimits: Limits = {
  notepadCharacters: 32_000,
  noteCharacters: 4_000,
  noteTags: 10,
  tagCharacters: 100,
  spaceNotesCharacters: 4_000,
  spacePlanCharacters: 2_000,
  refs: 50,
  refCharacters: 2_000,
  pinBytes: 3_000,
  scratchpadTokens: 2_000,
  resultTokens: 4_000,
  systemPromptCharacters: 32_000,
  stateKeys: 1_000,
  stateKeyCharacters: 200,
  stateValueCharacters: 64_000,
  skills: 100,
  skillCharacters: 32_000,
  tools: 50,
  toolCharacters: 64_000,
};

/** The kinds of the limits. */
export const limitKinds = Object.fromEntries(
  Object.keys(defaultLimits).map((name) => [name, wholeNumber(1)]),
) as Record<keyof Limits, OptionKind<number>>;
