import { z } from "zod";
import { authors } from "../../context/origin-line.ts";
import type { Limits } from "../../engine/limits.ts";
import { quote } from "../../engine/text.ts";
import { type Call, defineTool, type Surface } from "../surface.ts";
import { notesView } from "./block.ts";
import type { Note, NotesResult } from "./operations.ts";
import type { NoteMatches } from "./search.ts";

const note = z.object({
  id: z.string(),
  content: z.string(),
  tags: z.array(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
  /** Only if the agent did not write it itself. */
  written_by: z.string().optional(),
});

const totals = z.object({ note_id: z.string(), total_notes: z.number(), total_tags: z.number() });

const content = z.string();
const tags = z.array(z.string()).optional();

/** The limits as hints for the model; the operation refuses a longer text and names the next step. */
const contentWithin = (limits: Limits) => content.meta({ maxLength: limits.noteCharacters });
const tagsWithin = (limits: Limits) => tags.meta({ maxItems: limits.noteTags });

const newNote = z.strictObject({ content, tags });
const plainNote = z.strictObject({ content });
const changedNote = z.strictObject({
  id: z.string(),
  content: z.string().optional(),
  tags,
});
const page = {
  limit: z.int().min(1).max(200).optional().describe("Page size"),
  offset: z.int().min(0).optional().describe("Notes to skip"),
};

const addNote = defineTool({
  name: "add_note",
  description: "Save a note outside the conversation, with tags to find it by.",
  input: newNote,
  adapt: (limits) => ({
    input: newNote.extend({ content: contentWithin(limits), tags: tagsWithin(limits) }),
  }),
  output: z.object({ note_id: z.string(), message: z.string(), metadata: totals }),
  run: async ({ session, options }, input) =>
    added(await session.notes.add(input.content, input.tags ?? [], options)),
});

const scratchNote = defineTool({
  name: "scratch_note",
  description: "Save a quick note without tags.",
  input: plainNote,
  adapt: (limits) => ({ input: plainNote.extend({ content: contentWithin(limits) }) }),
  output: z.object({ note_id: z.string(), message: z.string(), metadata: totals }),
  run: async ({ session, options }, input) => added(await session.notes.add(input.content, [], options)),
});

const searchNotes = defineTool({
  name: "search_notes",
  description:
    "Find notes that contain a text in any case, or by tags; similar lists notes that share words if none contains it.",
  input: z.strictObject({
    query: z.string().optional(),
    tags: tags.describe("All of these"),
    ...page,
  }),
  output: z.object({
    notes: z.array(note),
    similar: z.array(note).optional(),
    message: z.string(),
    metadata: z.object({ result_count: z.number(), query: z.string(), tags: z.array(z.string()) }),
  }),
  readOnly: true,
  idempotent: true,
  run: async (call, { query = "", tags: filter = [], limit = 200, offset = 0 }) => {
    const matches = await call.session.notes.search({ query, tags: filter, limit, offset });
    const shown = withinBudget(matches.notes, call);
    const count = howMany(matches, shown.length, offset, "search_notes");
    if (!matches.ranked || matches.total === 0)
      return { notes: shown, message: count, metadata: { result_count: matches.total, query, tags: filter } };
    return {
      notes: [],
      similar: shown,
      message: `No note contains ${quote(query)}. Under "similar" are notes that share its words, ranked, best first. ${count}`,
      metadata: { result_count: 0, query, tags: filter },
    };
  },
});

const listNotes = defineTool({
  name: "list_notes",
  description: "List notes, newest first: all, or those with a tag.",
  input: z.strictObject({ tag: z.string().optional(), ...page }),
  output: z.object({
    notes: z.array(note),
    message: z.string(),
    metadata: z.object({ note_count: z.number(), tag_filter: z.string().nullable() }),
  }),
  readOnly: true,
  idempotent: true,
  run: async (call, { tag, limit = 200, offset = 0 }) => {
    const matches = await call.session.notes.search({ tags: tag ? [tag] : [], limit, offset });
    const shown = withinBudget(matches.notes, call);
    return {
      notes: shown,
      message: howMany(matches, shown.length, offset, "list_notes"),
      metadata: { note_count: matches.total, tag_filter: tag || null },
    };
  },
});

const updateNote = defineTool({
  name: "update_note",
  description: "Change a note. Omitted fields stay; tags: [] removes all.",
  input: changedNote,
  adapt: (limits) => ({
    input: changedNote.extend({
      content: changedNote.shape.content.meta({ maxLength: limits.noteCharacters }),
      tags: tagsWithin(limits),
    }),
  }),
  output: z.object({ message: z.string(), note, metadata: totals }),
  destructive: true,
  idempotent: true,
  run: async ({ session, options }, { id, ...change }) => {
    const { result } = await session.notes.update(id, change, options);
    return { message: `Note ${id} updated`, note: rendered(result.note), metadata: totalsOf(result) };
  },
});

const deleteNote = defineTool({
  name: "delete_note",
  description: "Remove a note by its id.",
  input: z.strictObject({ id: z.string() }),
  output: z.object({ message: z.string(), metadata: totals }),
  destructive: true,
  run: async ({ session, options }, { id }) => {
    const { result } = await session.notes.delete(id, options);
    return { message: `Note ${id} deleted`, metadata: totalsOf(result) };
  },
});

const listTags = defineTool({
  name: "list_tags",
  description: "List all tags with their number of notes.",
  input: z.strictObject({}),
  output: z.object({
    tags: z.array(z.object({ tag: z.string(), count: z.number() })),
    metadata: z.object({ tag_count: z.number(), note_count: z.number() }),
  }),
  readOnly: true,
  idempotent: true,
  run: async ({ session }) => {
    const found = await session.notes.tags();
    const { row } = await session.state();
    return {
      tags: found.map(({ tag, notes }) => ({ tag, count: notes })),
      metadata: { tag_count: found.length, note_count: row.counters.notes },
    };
  },
});

function added({ result }: { result: NotesResult }) {
  return { note_id: result.note.id, message: `Note ${result.note.id} added`, metadata: totalsOf(result) };
}

function totalsOf(result: NotesResult): z.infer<typeof totals> {
  return { note_id: result.note.id, total_notes: result.totalNotes, total_tags: result.totalTags };
}

function rendered({ id, content: text, tags: names, createdAt, updatedAt, by }: Note): z.infer<typeof note> {
  const times = { created_at: isoTime(createdAt), updated_at: isoTime(updatedAt) };
  return { id, content: text, tags: names, ...times, ...(by ? { written_by: authors[by] } : {}) };
}

function isoTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? "unknown" : date.toISOString();
}

/** As many notes as fit the answer's token budget, but at least one. */
function withinBudget(notes: Note[], { countTokens, limits }: Call): z.infer<typeof note>[] {
  const shown: z.infer<typeof note>[] = [];
  let tokens = 0;
  for (const each of notes) {
    const line = rendered(each);
    tokens += countTokens(JSON.stringify(line));
    if (tokens > limits.resultTokens && shown.length > 0) break;
    shown.push(line);
  }
  return shown;
}

function howMany({ total }: NoteMatches, shown: number, offset: number, tool: string): string {
  if (total === 0) return "No notes match.";
  if (shown === 0)
    return `There are ${total} matching notes, none at offset ${offset} or later. Use a smaller offset.`;
  if (offset === 0 && shown === total) return `${total} ${total === 1 ? "note" : "notes"}.`;
  const rest = total - offset - shown;
  const next =
    rest > 0
      ? ` For the rest call ${tool} with offset: ${offset + shown}, or narrow it down with tags${tool === "search_notes" ? " or a longer query" : ""}; limit sets the page size.`
      : "";
  return `Notes ${offset + 1} to ${offset + shown} of ${total}.${next}`;
}

export const notesSurface: Surface = {
  ...notesView,
  tools: [addNote, searchNotes, listNotes, updateNote, deleteNote, scratchNote, listTags],
  guidance: () => `<scratchpad_system>
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
</scratchpad_system>`,
};
