import type { Handlers, ServerContext } from "./handlers.ts";

const asPerson = { actor: { kind: "person" as const }, surface: "inspector" };

export function pinHandlers({ memory }: ServerContext): Pick<Handlers, "pins" | "pin" | "unpin"> {
  return {
    async pins({ params: { id } }) {
      const session = await memory.resumeSession(id);
      const { row } = await session.state();
      return { revision: row.revision, pins: await session.pins.list() };
    },

    async pin({ params: { id }, body: { text } }) {
      const session = await memory.resumeSession(id);
      const { revision, result } = await session.pins.pin(text, asPerson);
      return { revision, pin: result.id };
    },

    async unpin({ params: { id, pin } }) {
      const session = await memory.resumeSession(id);
      const { revision } = await session.pins.unpin(pin, asPerson);
      return { revision };
    },
  };
}
