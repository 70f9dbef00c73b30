/** Begins every warning. */
export const warningStart =
  "[System] Context is approaching the token limit and will be compacted after your next response.";

/** The warning before a compaction, for an agent with a notepad. */
export const warningText = `${warningStart}
Review your session notepad and update it with any working state, findings, or progress you
need to preserve. Conversation details may be summarized during compaction, but the notepad
is kept in full.`;

/** Where an agent without a notepad saves something, and the tool for it. */
const places: [surface: string, place: string][] = [
  ["scratchpad", "your session scratchpad (session_scratchpad)"],
  ["notes", "your notes (add_note)"],
  ["project", "the project's NOTES.md (log_handoff)"],
  ["knowledge", "your state (set_state)"],
];

/** Why an agent without a place to save something is not warned. */
export const nowhereToSave = "the agent has no memory to write to";

/** The warning for an agent with these surfaces: it names what the agent has; "" if it can save nothing. */
export function warningFor(surfaces: readonly string[]): string {
  if (surfaces.includes("notepad")) return warningText;
  const found = places.flatMap(([surface, place]) => (surfaces.includes(surface) ? place : []));
  if (found.length === 0) return "";
  return `${warningStart}
Review ${found.join(" and ")} and save any working state, findings, or progress you
need to preserve. Conversation details may be summarized during compaction, but what you save there
is kept in full.`;
}

/** Follows the messages that a compaction kept: the memory in the system prompt is newer than they are. */
export const compactedText =
  "[System] The conversation was compacted here. The memory in the system prompt is current as of here. Go on with what was asked.";

/** Stands where a new snapshot of the memory, in the system prompt, replaced the changes in the conversation. */
export const refreshedText = "[System] The memory in the system prompt is current as of here.";

/** Follows the agent's answer to the warning if the prompt would otherwise end with it. */
export const goOnText = "[System] Go on with what was asked.";
