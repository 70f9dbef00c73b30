import { foreignLines } from "../engine/origins.ts";
import { readText } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import { listPins } from "../surfaces/pins/operations.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import { readTasks } from "../surfaces/tasks/operations.ts";
import type { Handlers, ServerContext } from "./handlers.ts";
import { hiddenLines, offeredTypes, SessionTree, sessionItem } from "./session-item.ts";

const maxTags = 100;

export function memoryHandlers(context: ServerContext): Pick<Handlers, "session" | "notes" | "project"> {
  const { memory, directory, past, checkRef, project } = context;
  return {
    async session({ params: { id }, query: { revision } }) {
      const session = await memory.resumeSession(id);
      const now = await session.state();
      const isPast = revision !== undefined && revision !== now.row.revision;
      const state = isPast ? (await past.at(session, revision)).state : now;
      const shown = isPast ? revision : now.row.revision;
      const [entry] = isPast ? await session.history({ from: revision, to: revision }) : [];
      const tree = new SessionTree(await directory.of("all"));
      const text = (target: "notepad" | "space/notes" | "space/plan") => ({
        text: readText(state, target),
        authors: foreignLines(state, target),
      });
      const tags = state.row.counters.tags === 0 || isPast ? [] : await session.notes.tags();
      return {
        session: await sessionItem(context, now.row, tree),
        revision: shown,
        newest: now.row.revision,
        at: entry?.at ?? now.row.updatedAt,
        notepad: { ...text("notepad"), hidden: isPast ? null : await hiddenLines(context, session, state) },
        notes: text("space/notes"),
        plan: text("space/plan"),
        refs: await Promise.all(
          readScratchpad(state).refs.map(async (ref) => ({ ref, state: await checkRef(ref) })),
        ),
        pins: listPins(state),
        tasks: readTasks(state).map(([key, { description, depth }]) => ({
          id: `task_${Number(key)}`,
          description,
          depth,
        })),
        tags: tags.sort((a, b) => b.notes - a.notes || (a.tag < b.tag ? -1 : 1)).slice(0, maxTags),
        noteCount: state.row.counters.notes,
        offered: await offeredTypes(context, session),
        limits: {
          notepad: memory.setting.limits.notepadCharacters,
          notes: memory.setting.limits.spaceNotesCharacters,
          plan: memory.setting.limits.spacePlanCharacters,
        },
      };
    },

    async notes({ params: { id }, query: { q, tag, revision, offset, limit } }) {
      const session = await memory.resumeSession(id);
      const next = (shown: number, total: number) =>
        offset + shown < total && shown > 0 ? offset + shown : null;
      if (revision === undefined) {
        const found = await session.notes.search({ query: q, tags: tag, limit, offset });
        return { ...found, nextOffset: next(found.notes.length, found.total) };
      }
      const { notes } = await past.at(session, revision);
      const inOrder = [...notes.values()].sort((a, b) => b.updated - a.updated);
      const page = inOrder.slice(offset, offset + limit);
      const total = inOrder.length;
      return { notes: page, total, ranked: false, nextOffset: next(page.length, total) };
    },

    async project() {
      const notes = await project?.read();
      if (notes) return notes;
      throw new HoldfastError(
        "not_found",
        "No NOTES.md found. Start `npx holdfast serve` in a project that has one.",
      );
    },
  };
}
