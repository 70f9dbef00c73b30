/** The texts of the five documents, word for word. */

/** session-notepad: the empty state. */
export const emptyNotepad = `## Session Notepad
(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)`;

/** session-notepad: the pre-compaction warning. */
export const warning = `[System] Context is approaching the token limit and will be compacted after your next response.
Review your session notepad and update it with any working state, findings, or progress you
need to preserve. Conversation details may be summarized during compaction, but the notepad
is kept in full.`;

/** session-notepad: the system prompt instruction. */
export const notepadGuidance =
  "For multi-step or complex tasks, use the session notepad to track your plan and record findings as you work. The notepad survives context compaction — conversation details may be summarized, but the notepad is preserved in full. Update it after significant findings or completed steps.";

/** session-notepad: the parameters of its tools. */
export const notepadParameters = {
  read_notepad: { type: "object", properties: {}, required: [] },
  write_notepad: {
    type: "object",
    properties: {
      content: { type: "string", description: "The new notepad content (replaces everything)" },
    },
    required: ["content"],
  },
  update_notepad: {
    type: "object",
    properties: {
      operation: {
        type: "string",
        enum: ["find_replace", "append", "prepend", "delete"],
        description: "The type of edit to perform",
      },
      content: {
        type: "string",
        description: "For append/prepend: text to add. For delete: text to remove.",
      },
      find: { type: "string", description: "For find_replace: exact substring to find" },
      replace: { type: "string", description: "For find_replace: replacement text" },
      replace_all: {
        type: "boolean",
        description: "For find_replace: replace all occurrences. Default: false.",
      },
    },
    required: ["operation"],
  },
};

/** scratchpad-notes-adr: the section of the system prompt. */
export const notesGuidance = `<scratchpad_system>
You have access to a persistent scratchpad for managing ephemeral notes during task execution.

**When to use the scratchpad:**
- Storing findings from file analysis or searches
- Tracking multi-step task progress
- Building context incrementally
- Avoiding redundant expensive operations
- Organizing complex information

**Best practices:**
- Use descriptive tags for easy filtering
- Keep notes focused and actionable
- Update notes as information evolves
- Search before creating duplicates
- Clean up notes when tasks complete

**Available operations:**
add_note, search_notes, list_notes, update_note, delete_note, scratch_note, list_tags
</scratchpad_system>`;

/** scratchpad-notes-adr: the parameters of its tools; true for a required one. */
export const notesParameters: Record<string, Record<string, boolean>> = {
  add_note: { content: true, tags: false },
  search_notes: { query: false, tags: false },
  list_notes: { tag: false },
  update_note: { id: true, content: false, tags: false },
  delete_note: { id: true },
  scratch_note: { content: true },
  list_tags: {},
};

/** session-scratchpad-extension: the description of the tool. */
export const scratchpadDescription =
  "Persist important working state (plans, findings, decisions) that survives context compaction. Content is prepended to each message you receive.";

/** session-scratchpad-extension: the lines of its section of the system prompt that hold with three spaces too. */
export const scratchpadGuidance = `## Session Scratchpad
You have a persistent scratchpad tool (session.scratchpad) that survives context compaction.
Use it to save: multi-step plans, key findings, important decisions, accumulated state.
The scratchpad is prepended to each message you receive. Budget: ~2000 tokens.`;
