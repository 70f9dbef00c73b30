/** Follows the messages that a compaction kept: the memory in the system prompt is newer than they are. */
export const compactedText =
  "[System] The conversation was compacted here. The memory in the system prompt is current as of here. Go on with what was asked.";

/** Stands where a new snapshot of the memory, in the system prompt, replaced the changes in the conversation. */
export const refreshedText = "[System] The memory in the system prompt is current as of here.";

/** Follows the agent's answer to the warning if the prompt would otherwise end with it. */
export const goOnText = "[System] Go on with what was asked.";
