import { originLine } from "../../context/origin-line.ts";
import { readCleared } from "../../engine/conversation.ts";
import { isObject } from "../../engine/json.ts";
import type { Limits } from "../../engine/limits.ts";
import { readText, type State, type TextTarget } from "../../engine/state.ts";
import { countCharacters, normaliseText } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import { readTasks } from "../../surfaces/tasks/operations.ts";
import type { Reply } from "../api.ts";
import { mergeEdit } from "../merge-edit.ts";
import { SessionTree, sessionItem } from "../session-items.ts";
import { fillOf } from "../window.ts";
import type { Handlers, ServerContext } from "./handlers.ts";

const asPerson = { actor: { kind: "person" as const }, surface: "inspector" };

const targets = { notepad: "notepad", notes: "space/notes", plan: "space/plan" } as const;
type TextName = keyof typeof targets;

export function memoryHandlers(context: ServerContext): Pick<Handlers, "memory" | "editText" | "editRefs"> {
  const { memory, directory, checkRef } = context;
  return {
    async memory({ params: { id } }) {
      const session = await memory.resumeSession(id);
      const state = await session.state();
      const tree = new SessionTree(await directory.of("all"));
      const summary = { ...state.row, notes: state.row.counters.notes };
      const { notes, plan, refs } = readScratchpad(state);
      const { limits } = memory.setting;
      return {
        session: await sessionItem(context, summary, tree),
        revision: state.row.revision,
        fill: await fillOf(session, state, context),
        notepad: state.row.notepad ?? "",
        notepadUsed: state.row.notepad !== null,
        scratchpad: { notes, plan },
        origins: {
          notepad: originLine(state, "notepad", "notepad"),
          notes: originLine(state, "space/notes", "scratchpad's notes"),
          plan: originLine(state, "space/plan", "plan"),
          refs: originLine(state, "refs", "references"),
        },
        refs: await Promise.all(refs.map(async (ref) => ({ ref, state: await checkRef(ref) }))),
        tasks: tasksOf(state),
        clearedResults: readCleared(state).map(([callId, cleared]) => ({ id: callId, ...cleared })),
        tags: await mostUsedTags(session, state),
        budgets: budgetsOf(state, limits),
        limits: {
          noteCharacters: limits.noteCharacters,
          noteTags: limits.noteTags,
          tagCharacters: limits.tagCharacters,
          refCharacters: limits.refCharacters,
        },
      };
    },

    async editText({ params: { id, text: name }, body: { base, text } }) {
      const session = await memory.resumeSession(id);
      const mine = normaliseText(text, "text");
      const target = targets[name];
      let merged = false;
      const settle = (state: State) => {
        const theirs = readText(state, target);
        merged = theirs !== base.text && theirs !== mine;
        return mergeEdit({ base: base.text, mine, theirs, revision: state.row.revision });
      };
      return signConflict(session, target, async () => {
        const before = await session.state();
        const isUnchanged = settle(before) === readText(before, target);
        if (isUnchanged) return { revision: before.row.revision, text: readText(before, target), merged };
        const { revision, state } = await session.change(
          (current) => writeOf(name, settle(current), memory.setting.limits),
          () => false,
          asPerson,
        );
        return { revision, text: readText(state, target), merged };
      });
    },

    async editRefs({ params: { id }, body: { action, ref } }) {
      const session = await memory.resumeSession(id);
      const { revision } =
        action === "add"
          ? await session.scratchpad.addRef(ref, asPerson)
          : await session.scratchpad.removeRef(ref, asPerson);
      return { revision };
    },
  };
}

/** Entries to look through for the last change of a text. */
const maxEntries = 50;

/** Runs an edit; a conflict says who changed the text last, and when. */
async function signConflict<T>(session: Session, target: TextTarget, edit: () => Promise<T>): Promise<T> {
  try {
    return await edit();
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
function writeOf(name: TextName, content: string, limits: Limits) {
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

export function tasksOf(state: State): Reply<"memory">["tasks"] {
  return readTasks(state).map(([key, { description, depth, from }]) => ({
    id: `task_${Number(key)}`,
    description,
    depth,
    from,
  }));
}

async function mostUsedTags(session: Session, state: State): Promise<{ tag: string; notes: number }[]> {
  if (state.row.counters.tags === 0) return [];
  const tags = await session.notes.tags();
  return tags.sort((a, b) => b.notes - a.notes || (a.tag < b.tag ? -1 : 1)).slice(0, 100);
}

export function budgetsOf(state: State, limits: Limits): Reply<"memory">["budgets"] {
  const characters = (target: TextTarget) => countCharacters(readText(state, target));
  return [
    {
      name: "notepad",
      label: "Notepad",
      used: characters("notepad"),
      limit: limits.notepadCharacters,
      unit: "characters",
      atLimit:
        "Holdfast rejects a longer text and tells the agent how much fits and to remove what it no longer needs.",
    },
    {
      name: "notes",
      label: "Scratchpad notes",
      used: characters("space/notes"),
      limit: limits.spaceNotesCharacters,
      unit: "characters",
      atLimit:
        "Holdfast rejects an addition and cuts a whole new text to fit; the rest stays in the journal.",
    },
    {
      name: "plan",
      label: "Plan",
      used: characters("space/plan"),
      limit: limits.spacePlanCharacters,
      unit: "characters",
      atLimit: "Holdfast cuts a new plan to fit; the rest stays in the journal.",
    },
    {
      name: "refs",
      label: "References",
      used: readScratchpad(state).refs.length,
      limit: limits.refs,
      unit: "references",
      atLimit: "A new reference replaces the oldest one, and Holdfast tells the agent which.",
    },
  ];
}
