/** The simplest implementation of a session's specified behavior, to compare the real one with. */
export interface Model {
  notepad: string;
  notes: { id: string; content: string; tags: string[] }[];
  scratchpad: { notes: string; plan: string; refs: string[] };
}

/** Limits so small that random texts reach them. */
export const modelLimits = {
  notepadCharacters: 30,
  noteCharacters: 12,
  noteTags: 2,
  spaceNotesCharacters: 14,
  spacePlanCharacters: 8,
  refs: 3,
};

export function emptyModel(): Model {
  return { notepad: "", notes: [], scratchpad: { notes: "", plan: "", refs: [] } };
}

export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** The model after a call, or undefined if the call must be rejected. `newId` is the id of a new note. */
export function modelCall(model: Model, { tool, input }: Call, newId: string): Model | undefined {
  switch (tool) {
    case "write_notepad":
      return withNotepad(model, input.content as string);
    case "update_notepad":
      return updateNotepad(model, input as Record<string, string> & { replace_all?: boolean });
    case "add_note":
    case "scratch_note":
      return addNote(model, newId, input as { content: string; tags?: string[] });
    case "update_note":
      return updateNote(model, input as { id: string; content?: string; tags?: string[] });
    case "delete_note": {
      const notes = model.notes.filter(({ id }) => id !== input.id);
      return notes.length === model.notes.length ? undefined : { ...model, notes };
    }
    case "session.scratchpad": {
      const scratchpad = useScratchpad(
        model.scratchpad,
        input as Record<string, string> & { items?: unknown[] },
      );
      return scratchpad && { ...model, scratchpad };
    }
    default:
      throw new Error(`the model has no tool ${tool}`);
  }
}

export const characters = (text: string): number => [...text].length;

function withNotepad(model: Model, notepad: string): Model | undefined {
  return characters(notepad) > modelLimits.notepadCharacters ? undefined : { ...model, notepad };
}

function updateNotepad(
  model: Model,
  input: Record<string, string> & { replace_all?: boolean },
): Model | undefined {
  const { notepad } = model;
  const { operation, content = "", find = "", replace = "" } = input;
  if (operation === "append") return withNotepad(model, joinLines(notepad, content));
  if (operation === "prepend")
    return withNotepad(model, content === "" ? notepad : joinLines(content, notepad));
  const needle = operation === "delete" ? content : find;
  if (needle === "" || !notepad.includes(needle)) return undefined;
  const parts = notepad.split(needle);
  const [first = "", ...rest] = parts;
  const inserted = operation === "delete" ? "" : replace;
  return withNotepad(model, input.replace_all ? parts.join(inserted) : first + inserted + rest.join(needle));
}

function joinLines(above: string, below: string): string {
  if (above === "" || below === "") return above + below;
  return above.endsWith("\n") ? above + below : `${above}\n${below}`;
}

function addNote(
  model: Model,
  id: string,
  { content, tags = [] }: { content: string; tags?: string[] },
): Model | undefined {
  if (!isValidNote(content, tags)) return undefined;
  return { ...model, notes: [{ id, content, tags: [...new Set(tags)] }, ...model.notes] };
}

function updateNote(
  model: Model,
  { id, content, tags }: { id: string; content?: string; tags?: string[] },
): Model | undefined {
  const note = model.notes.find((each) => each.id === id);
  if (
    !note ||
    (content === undefined && tags === undefined) ||
    !isValidNote(content ?? note.content, tags ?? [])
  )
    return undefined;
  const changed = { id, content: content ?? note.content, tags: tags ? [...new Set(tags)] : note.tags };
  return { ...model, notes: [changed, ...model.notes.filter((each) => each !== note)] };
}

function isValidNote(content: string, tags: string[]): boolean {
  return (
    content.trim() !== "" &&
    characters(content) <= modelLimits.noteCharacters &&
    tags.length <= modelLimits.noteTags
  );
}

function useScratchpad(
  before: Model["scratchpad"],
  input: Record<string, string> & { items?: unknown[] },
): Model["scratchpad"] | undefined {
  const { content = "", ref = "" } = input;
  const start = (text: string, limit: number) => [...text].slice(0, limit).join("");
  switch (input.action) {
    case "set_notes":
      return { ...before, notes: start(content, modelLimits.spaceNotesCharacters) };
    case "set_plan":
      return { ...before, plan: start(content, modelLimits.spacePlanCharacters) };
    case "append_notes": {
      const limit = modelLimits.spaceNotesCharacters;
      const candidates = [joinLines(before.notes, content), before.notes + content];
      const notes = candidates.find((text) => characters(text) <= limit);
      return notes === undefined ? undefined : { ...before, notes };
    }
    case "refs.add":
      return ref === ""
        ? undefined
        : { ...before, refs: [...before.refs.filter((each) => each !== ref), ref].slice(-modelLimits.refs) };
    case "refs.remove":
      return before.refs.includes(ref)
        ? { ...before, refs: before.refs.filter((each) => each !== ref) }
        : undefined;
    case "refs.set": {
      const strings = (input.items ?? []).filter(
        (item): item is string => typeof item === "string" && item !== "",
      );
      return { ...before, refs: [...new Set(strings)].slice(0, modelLimits.refs) };
    }
    default:
      return useScratchpad(before, {
        content,
        action: input.mode === "append" ? "append_notes" : "set_notes",
      });
  }
}
