import type { Json } from "../../engine/json.ts";
import type { KeyValue } from "../../engine/records.ts";
import type { KeyValues } from "../knowledge/key-values.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import type { ApiAnswer } from "./sandbox.ts";

/** An unchecked argument from a program: any JSON, or missing. The engine checks it. */
// biome-ignore lint/suspicious/noExplicitAny: every operation checks its own fields
type Argument = any;

type Operation = (session: SessionHandle, args: Argument[], options: ApplyOptions) => Promise<ApiAnswer>;

/** Everything programs can do to memory. Each is an ordinary operation: journaled, budgeted, attributed. */
export const sessionOperations: Readonly<Record<string, Operation>> = {
  "session.notepad.read": async ({ notepad }) => returns(await notepad.read()),
  "session.notepad.write": async ({ notepad }, [content], options) =>
    done(await notepad.write(content, options)),
  "session.notepad.append": async ({ notepad }, [content], options) =>
    done(await notepad.append(content, options)),
  "session.notepad.prepend": async ({ notepad }, [content], options) =>
    done(await notepad.prepend(content, options)),
  "session.notepad.replace": async ({ notepad }, [find, replacement, more], options) =>
    done(await notepad.replace(find, replacement, { ...options, all: more?.all === true })),
  "session.notepad.delete": async ({ notepad }, [content], options) =>
    done(await notepad.delete(content, options)),

  "session.notes.add": async ({ notes }, [content, tags], options) => {
    const added = await notes.add(content, tags ?? [], options);
    return { ...done(added), value: added.result.note };
  },
  "session.notes.update": async ({ notes }, [id, change], options) => {
    const { content, tags } = change ?? {};
    const updated = await notes.update(
      id,
      { ...(content == null ? {} : { content }), ...(tags == null ? {} : { tags }) },
      options,
    );
    return { ...done(updated), value: updated.result.note };
  },
  "session.notes.delete": async ({ notes }, [id], options) => done(await notes.delete(id, options)),
  "session.notes.get": async ({ notes }, [id]) => returns(await notes.get(id)),
  "session.notes.all": async ({ notes }) => returns(await notes.all()),
  "session.notes.search": async ({ notes }, [query]) =>
    returns(await notes.search(typeof query === "string" ? { query } : { ...query })),
  "session.notes.tags": async ({ notes }) => returns(await notes.tags()),

  "session.scratchpad.read": async ({ scratchpad }) => returns(await scratchpad.read()),
  "session.scratchpad.setNotes": async ({ scratchpad }, [content], options) =>
    done(await scratchpad.setNotes(content, options)),
  "session.scratchpad.appendNotes": async ({ scratchpad }, [content], options) =>
    done(await scratchpad.appendNotes(content, options)),
  "session.scratchpad.setPlan": async ({ scratchpad }, [content], options) =>
    done(await scratchpad.setPlan(content, options)),
  "session.scratchpad.addRef": async ({ scratchpad }, [ref], options) =>
    done(await scratchpad.addRef(ref, options)),
  "session.scratchpad.removeRef": async ({ scratchpad }, [ref], options) =>
    done(await scratchpad.removeRef(ref, options)),
  "session.scratchpad.setRefs": async ({ scratchpad }, [items], options) =>
    done(await scratchpad.setRefs(items, options)),

  ...keyValueOperations("session.scratch", async ({ scratch }) => scratch),
  ...keyValueOperations("state", async (session) => (await session.knowledge()).state),
};

/** JSON values by key: those of the session, and those of the agent. */
function keyValueOperations(
  name: string,
  open: (session: SessionHandle) => Promise<KeyValues>,
): Record<string, Operation> {
  const read = async (session: SessionHandle, key: Argument): Promise<KeyValue | undefined> =>
    (await open(session)).get(key);
  return {
    [`${name}.get`]: async (session, [key]) => returns((await read(session, key))?.value),
    [`${name}.entry`]: async (session, [key]) => returns(await read(session, key)),
    [`${name}.set`]: async (session, [key, value, more], options) => {
      const { expected, schema } = more ?? {};
      const set = await (await open(session)).set(key, value ?? null, {
        ...options,
        ...(expected == null ? {} : { expected }),
        ...(schema == null ? {} : { schema }),
      });
      return { ...done(set), value: set.result };
    },
    [`${name}.delete`]: async (session, [key, more], options) => {
      const { expected } = more ?? {};
      return done(
        await (await open(session)).delete(key, { ...options, ...(expected == null ? {} : { expected }) }),
      );
    },
    [`${name}.list`]: async (session, [selection]) =>
      returns(
        await (await open(session)).list(
          typeof selection === "string" ? { prefix: selection } : { ...selection },
        ),
      ),
  };
}

function returns(value: unknown): ApiAnswer {
  return { value: value as Json | undefined };
}

function done({ warnings }: AppliedOperation<unknown>): ApiAnswer {
  return { value: undefined, warnings };
}
