import assert from "node:assert/strict";
import { test } from "node:test";
import { everyStore } from "../../test/support/every-store.ts";
import { openTestMemory } from "../../test/support/memory.ts";

const noon = Date.UTC(2026, 0, 1, 12);
const years = 10 * 365 * 24 * 3_600_000;

/** Broken clocks: the time they return on the nth reading. */
const clocks: Record<string, (presentation: number) => number> = {
  "runs backwards": (presentation) => noon - presentation * 1_000,
  "is frozen": () => noon,
  "jumps ten years ahead and back": (presentation) => noon + (presentation % 3 === 0 ? years : 0),
  "jumps ten years back and ahead": (presentation) => noon - (presentation % 3 === 0 ? years : 0),
  "has fractions": (presentation) => noon + presentation * 0.3,
};

test("with any clock, revisions define the order and note ids increase, in every store [journal.order] [notes.ids]", async (context) => {
  for (const { name, store } of await everyStore()) {
    for (const [behaviour, clock] of Object.entries(clocks)) {
      let presentation = 0;
      const memory = await openTestMemory({ store, clock: () => clock(++presentation) });
      context.after(() => memory.close());
      const what = `${name}, a clock that ${behaviour}`;
      const session = await memory.createSession();
      const ids: string[] = [];
      for (let number = 1; number <= 20; number++)
        ids.push((await session.notes.add(`note ${number}`, ["x"])).result.note.id);
      const numbers = ids.map((id) => Number(/^note_(\d+)$/.exec(id)?.[1]));
      assert.ok(
        numbers.every((number, index) => index === 0 || number > (numbers[index - 1] as number)),
        what,
      );
      assert.deepEqual(
        (await session.notes.all()).map(({ id }) => id),
        ids.toReversed(),
        `${what}: newest first`,
      );
      const history = await session.history({ newestFirst: false });
      assert.deepEqual(
        history.map(({ revision }) => revision),
        Array.from({ length: 21 }, (_, index) => index + 1),
        what,
      );
      await session.undo();
      assert.equal((await session.notes.all())[0]?.id, ids[18], `${what}: the last is undone`);
    }
  }
});
