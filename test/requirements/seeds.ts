import { from } from "./requirement.ts";

export const seeds = [
  ...from("the five documents", {
    "seeds.battery":
      "Every sentence of a document about a tool is a call with an exact answer, the same at every entry point and store.",
    "seeds.alone":
      "With one document alone, the model sees its tools and its texts at every entry point, and nothing else.",
    "seeds.rows":
      "Each of the 145 sentences has a test at each entry point or a reason, and the docs show every reason.",
    "seeds.compaction":
      "The loops of our own warn in the document's words, let the agent write, compact, and show summary, notepad and system prompt.",
    "seeds.project":
      "At each entry point with a conversation, NOTES.md is shown at its start, with overdue blockers, and gets a row of what was done at a compaction and at the end.",
    "seeds.nudges":
      "Each trigger of the scratchpad gives its hint before the user's message, once, at every entry point that sees turns.",
    "seeds.session":
      "What is written belongs to its session and outlives the process at every entry point; with the store memory: it ends with it.",
  }),
  ...from("session-notepad", {
    "notepad.read": "read_notepad returns { content }, an empty string before the first write.",
    "notepad.write": "write_notepad replaces everything; an empty string clears it.",
    "notepad.append": "append starts on a new line when needed.",
    "notepad.prepend": "prepend starts on a new line when needed.",
    "notepad.find-replace":
      "find_replace is literal, replaces the first match unless replace_all is set, and reports how many others there are.",
    "notepad.delete": "delete removes the first exact occurrence.",
    "notepad.not-found": "Text that is not found is an error that shows the closest line.",
    "notepad.missing-parameter":
      "A missing parameter of an operation is an error that names it; an omission wipes nothing.",
    "notepad.limit": "A notepad over its limit is rejected with the size that would fit.",
    "notepad.schema": "The notepad tools have the seed's names, parameters, enums and required lists.",
    "notepad.block": "The block is '## Session Notepad' with the whole text, or the empty-state hint.",
    "notepad.guidance": "The guidance is the seed's instruction.",
  }),
  ...from("scratchpad-notes-adr", {
    "notes.add": "add_note returns the id, a message and metadata note_id, total_notes, total_tags.",
    "notes.scratch": "scratch_note adds a note without tags.",
    "notes.content-limit":
      "Over 4,000 characters is rejected with the ADR's message; the limit is configurable and counts code points.",
    "notes.tag-limit": "More than 10 tags are rejected with the ADR's message; the limit is configurable.",
    "notes.ids": "Ids are note_<ms>, unique and increasing, across processes too.",
    "notes.tags": "Tags are stored as given, matched case-insensitively, and combined with AND.",
    "notes.search-order":
      "Search is a case-insensitive substring, ordered by position of the match, then recency.",
    "notes.search-empty": "An empty query with tags lists by tag.",
    "notes.search-ranked":
      "When no note contains the query, notes that share its words are ranked, and the answer says so.",
    "notes.search-metadata":
      "Search returns result_count, query and tags; list returns note_count and tag_filter.",
    "notes.list": "list_notes returns all notes by recency, or those with one tag.",
    "notes.cut": "A long list is cut at a token budget and says how to get the rest.",
    "notes.update": 'update_note leaves omitted fields alone; content "" is an error; tags [] clears.',
    "notes.delete": "delete_note removes a note; an unknown id is an error with the next step.",
    "notes.list-tags": "list_tags returns every tag in use, as it is spelled, with its number of notes.",
    "notes.guidance": "The guidance names only tools that exist, and appears only with them.",
  }),
  ...from("session-scratchpad-spaces", {
    "scratchpad.set": "set_notes and set_plan replace; over budget they truncate and warn.",
    "scratchpad.append":
      "append_notes is rejected when the sum would exceed the budget, and notes stay unchanged.",
    "scratchpad.refs-add": "refs.add drops the oldest at capacity; an existing ref becomes the newest.",
    "scratchpad.refs-remove": "refs.remove removes an exact match; a missing one is an error.",
    "scratchpad.refs-set": "refs.set replaces all, caps to the first 50, drops non-strings silently.",
    "scratchpad.missing-parameter": "A missing parameter is an error that names it; nothing is wiped.",
    "scratchpad.truncation-kept":
      "What a truncation cut off stays in the journal, and the answer says how to get it.",
    "scratchpad.block":
      "The block shows only non-empty spaces, in the known format; an empty scratchpad has no block.",
    "scratchpad.name": "The tool is called session.scratchpad and also accepts session_scratchpad.",
  }),
  ...from("session-scratchpad-extension", {
    "scratchpad.old-call": "The older call {content, mode} works, with replace as its default.",
    "scratchpad.old-budget":
      "The token budget truncates a replace and rejects an append with the document's messages, and the notes keep to their 4,000 characters.",
    "scratchpad.max-tokens":
      "maxTokens caps all spaces together, whichever action writes, with the document's messages.",
    "scratchpad.disabled": "enabled: false means no tool, no block, no guidance.",
    "scratchpad.guidance": "The guidance describes the tool, its budget and its modes.",
  }),
];
