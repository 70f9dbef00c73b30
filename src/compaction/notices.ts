export const warningText = `[System] Context is approaching the token limit and will be compacted after your next response.
Review your session notepad and update it with any working state, findings, or progress you
need to preserve. Conversation details may be summarized during compaction, but the notepad
is kept in full.`;

/** Marks where the new epoch begins: the memory shown includes everything that was written before. */
export const compactedText =
  "[System] The conversation was compacted here, and your memory is shown as of here. Go on with what was asked.";

/** Marks where changes were folded into a fresh snapshot, for the same reason. */
export const foldedText = "[System] Your memory is shown as of here.";

/** Follows the agent's answer to the warning, where the prompt would otherwise end with it. */
export const goOnText = "[System] Go on with what was asked.";
