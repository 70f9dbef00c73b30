import { isObject } from "../engine/json.ts";
import type { Limits } from "../engine/limits.ts";
import { merge } from "../engine/merge.ts";
import { readText, type State } from "../engine/state.ts";
import { countCharacters, normaliseText } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import type { Note } from "../surfaces/notes/operations.ts";
import { isProjectPin } from "../surfaces/pins/operations.ts";
import type { Body, EditConflict, Reply } from "./api.ts";
import type { Handlers, ServerContext } from "./handlers.ts";

type Edit = Body<"edit">;
type EditOf<Type extends Edit["type"]> = Extract<Edit, { type: Type }>;
type Edited = Reply<"edit">;

const asPerson = { actor: { kind: "person" as const }, surface: "inspector" };
export const targets = { notepad: "notepad", notes: "space/notes", plan: "space/plan" } as const;

/** Undo reads all later entries; more than this would block other requests. */
const maxUndoDistance = 5_000;
/** Entries to look through for the last change of a text. */
const maxEntries = 50;

/** A person's edits. Each is a revision of its own, so each can be undone. */
export function editHandlers({ memory }: ServerContext): Pick<Handlers, "edit"> {
  return {
    async edit({ params: { id }, body }) {
      const session = await sessionOf(memory, id, body);
      const unchanged = { session: id, merged: false, text: null, note: null, pin: null };
      return { ...unchanged, ...(await apply(memory, session, body)) };
    },
  };
}

/** The project's pins are in a session that no list shows; only an undo names it. */
async function sessionOf(memory: Memory, id: string, { type }: Edit): Promise<Session> {
  const project = type === "undo" && !(await memory.findSession(id)) ? await memory.project() : undefined;
  return project?.id === id ? project : memory.resumeSession(id);
}

async function apply(
  memory: Memory,
  session: Session,
  edit: Edit,
): Promise<Pick<Edited, "revision"> & Partial<Edited>> {
  switch (edit.type) {
    case "text":
      return editText(memory, session, edit);
    case "ref.add":
      return pick(await session.scratchpad.addRef(edit.ref, asPerson));
    case "ref.remove":
      return pick(await session.scratchpad.removeRef(edit.ref, asPerson));
    case "note.add": {
      const { revision, result } = await session.notes.add(edit.content, edit.tags ?? [], asPerson);
      return { revision, note: result.note };
    }
    case "note.edit":
      return editNote(session, edit);
    case "note.delete":
      return pick(await session.notes.delete(edit.note, asPerson));
    case "pin": {
      // The user's rules hold in every conversation of the project.
      const holder = await session.project();
      const { revision, result } = await holder.pins.pin(edit.text, asPerson);
      return { session: holder.id, revision, pin: result.id };
    }
    case "unpin": {
      const holder = isProjectPin(edit.pin) ? await session.project() : session;
      return { session: holder.id, ...pick(await holder.pins.unpin(edit.pin, asPerson)) };
    }
    case "undo": {
      const { row } = await session.state();
      if (row.revision - edit.revision > maxUndoDistance) throw tooFarBack(edit.revision);
      return pick(await session.undo(edit.revision, { actor: { kind: "person" } }));
    }
  }
}

function pick({ revision }: { revision: number }): { revision: number } {
  return { revision };
}

async function editText(memory: Memory, session: Session, { name, base, text }: EditOf<"text">) {
  const target = targets[name];
  const mine = normaliseText(text, "text");
  let merged = false;
  const settle = (state: State) => {
    const theirs = readText(state, target);
    merged = theirs !== base && theirs !== mine;
    return mergeEdit({ base, mine, theirs, revision: state.row.revision });
  };
  try {
    const before = await session.state();
    const current = readText(before, target);
    if (settle(before) === current) return { revision: before.row.revision, text: current, merged };
    const { revision, state } = await session.change(
      (now) => writeOf(name, settle(now), memory.setting.limits),
      () => false,
      asPerson,
    );
    return { revision, text: readText(state, target), merged };
  } catch (error) {
    const conflict = error instanceof HoldfastError ? error.data.conflict : undefined;
    if (!isObject(conflict)) throw error;
    const entries = await session.history({ limit: maxEntries });
    const last = entries.find(({ changes }) =>
      changes.some((change) => change.type === "text" && change.target === target),
    );
    Object.assign(conflict, last ? { by: last.actor, at: last.at } : {});
    throw error;
  }
}

/** Never cuts a person's text: rejects what is too long for a space, as the notepad itself does. */
function writeOf(name: keyof typeof targets, content: string, limits: Limits) {
  if (name === "notepad") return { type: "notepad.write" as const, content };
  const limit = name === "notes" ? limits.spaceNotesCharacters : limits.spacePlanCharacters;
  const characters = countCharacters(content);
  if (characters > limit) {
    throw new HoldfastError(
      "over_limit",
      `The ${name} would be ${characters} characters long; the limit is ${limit}. Nothing was saved. Shorten it by ${characters - limit}.`,
      { data: { characters, limit } },
    );
  }
  return name === "notes"
    ? { type: "scratchpad.set_notes" as const, content }
    : { type: "scratchpad.set_plan" as const, content };
}

async function editNote(session: Session, { note: id, base, content, tags }: EditOf<"note.edit">) {
  let merged = false;
  const { revision, result } = await session.change(
    async (state) => {
      const theirs = await findNote(session, id);
      const sides = { base: base.content, mine: content, theirs: theirs.content };
      const text = mergeEdit({ ...sides, revision: state.row.revision });
      const both = mergeTags(base.tags, tags, theirs.tags);
      merged = text !== content || both.join("\n") !== tags.join("\n");
      return { type: "notes.update" as const, id, content: text, tags: both };
    },
    () => false,
    asPerson,
  );
  return { revision, note: result.note, merged };
}

async function findNote(session: Session, id: string): Promise<Note> {
  const note = await session.notes.get(id);
  if (note) return note;
  throw new HoldfastError(
    "not_found",
    `Note ${JSON.stringify(id)} no longer exists; someone deleted it. Add it as a new note.`,
    { data: { id } },
  );
}

/** Sets merge without conflicts: keep what either side added, drop what either side removed. */
function mergeTags(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] {
  const added = mine.filter((tag) => !base.includes(tag) && !theirs.includes(tag));
  const removed = base.filter((tag) => !mine.includes(tag));
  const order = theirs.join("\n") === base.join("\n") ? mine : [...theirs, ...added];
  return order.filter((tag) => !removed.includes(tag));
}

function tooFarBack(revision: number): HoldfastError {
  return new HoldfastError(
    "cannot_undo",
    `Revision ${revision} is more than ${maxUndoDistance} revisions back. Nothing was changed. View the memory at that revision and copy what you need.`,
    { data: { revision } },
  );
}

interface MergeSides {
  base: string;
  mine: string;
  theirs: string;
  /** The revision of `theirs`. */
  revision: number;
}

/** Merges both edits. If they touch the same lines, throws a conflict with both sides, so that the person decides. */
function mergeEdit(sides: MergeSides): string {
  const { base, mine, theirs } = sides;
  const merged = merge(base, mine, theirs);
  if (merged.ok) return merged.text;
  const conflict: EditConflict["conflict"] = {
    ...sides,
    by: null,
    at: null,
    regions: merged.parts.map((part) =>
      part.kind === "text"
        ? { kind: "agreed", text: part.lines.join("\n"), base: "", mine: "", theirs: "" }
        : {
            kind: "conflict",
            text: "",
            base: part.base.join("\n"),
            mine: part.mine.join("\n"),
            theirs: part.theirs.join("\n"),
          },
    ),
  };
  throw new HoldfastError(
    "conflict",
    "Someone else changed the same lines since you started. Nothing was saved. Resolve each conflict and save again.",
    { data: { conflict } },
  );
}
