/** Budgets of the surfaces. Characters are Unicode code points. */
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
  /** References kept in the scratchpad. */
  refs: number;
  /** Characters in one reference. */
  refCharacters: number;
  /** Tokens for the scratchpad's older call `{content, mode}`. */
  scratchpadTokens: number;
  /** Tokens that one list of notes may take in an answer. */
  resultTokens: number;
  /** Characters in an agent's system prompt. */
  systemPromptCharacters: number;
  /** Keys in one agent's state, or in one session's. */
  stateKeys: number;
  /** Characters in one key. */
  stateKeyCharacters: number;
  /** Characters of one value as JSON. */
  stateValueCharacters: number;
  /** Skills that an agent may save. */
  skills: number;
  /** Characters in one saved skill. */
  skillCharacters: number;
  /** Tools that an agent may write. */
  tools: number;
  /** Characters in one such tool. */
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
