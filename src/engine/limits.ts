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
};
