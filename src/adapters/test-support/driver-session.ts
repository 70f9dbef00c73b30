import type { TestContext } from "node:test";
import { openMemory } from "../../index.ts";
import type { Surface } from "../../surfaces/surface.ts";

/** A memory with one session "s" for a run of the driver contract; closed after the test. */
export async function openDriverSession(t: TestContext, notepad: string, surfaces: readonly Surface[]) {
  const memory = await openMemory({
    store: "memory:",
    surfaces: ["notepad", "notes", "results", ...surfaces],
  });
  t.after(() => memory.close());
  const session = await memory.openSession("s");
  await session.notepad.write(notepad);
  return { memory, session };
}
