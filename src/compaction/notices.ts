export const warningText = `[System] Context is approaching the token limit and will be compacted after your next response.
Review your session notepad and update it with any working state, findings, or progress you
need to preserve. Conversation details may be summarized during compaction, but the notepad
is kept in full.`;

/** Marks the start of the new epoch: the snapshot of memory includes everything written before it. */
export const compactedText =
  "[System] The conversation was compacted here, and your memory is shown as of here. Go on with what was asked.";

/** Marks where changes were folded into a fresh snapshot. */
export const foldedText = "[System] Your memory is shown as of here.";

/** Follows the agent's answer to the warning if the prompt would otherwise end with it. */
export const goOnText = "[System] Go on with what was asked.";
