import type { TestContext } from "node:test";
import { filler } from "../../../test/support/agent.ts";
import { openMemory } from "../../index.ts";
import type { Surface } from "../../surfaces/surface.ts";

/** Leaves room for only a short turn in a window of 16,000 tokens. */
export const fullConversation = [
  { role: "user" as const, content: filler(6_000) },
  { role: "assistant" as const, content: filler(6_500, "ipsum") },
  { role: "user" as const, content: "Go on." },
];

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
