import fc from "fast-check";
import { openTestMemory } from "../../../test/support/memory.ts";
import type { Memory, MemoryOptions, Session } from "../../index.ts";
import { type Call, characters, modelLimits } from "./model.ts";

/** Short texts from a small alphabet, so that they often equal or contain each other. */
export const randomText = fc
  .array(
    fc.constantFrom("a", "b", "A", "ab", "\n", "🦞", "é", "数据", "$&", " ", "- [ ] ", "[End Scratchpad]"),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(""));

const tags = fc.array(fc.constantFrom("x", "X", "y", "Straße", "STRASSE", "🦞", "__proto__"), {
  maxLength: 3,
});

/** `pick` selects one of the notes that exist at the time of the call. */
export interface RandomCall extends Call {
  pick?: number;
}

const call = (tool: string, input: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<RandomCall> =>
  input.map((fields) => ({ tool, input: fields }));

const onNote = (tool: string, input: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<RandomCall> =>
  fc.record({ tool: fc.constant(tool), input, pick: fc.nat(9) });

const scratchpad = (input: fc.Arbitrary<Record<string, unknown>>) => call("session.scratchpad", input);

/** Calls that change memory or are rejected. */
export const randomCall: fc.Arbitrary<RandomCall> = fc.oneof(
  call("write_notepad", fc.record({ content: randomText })),
  call(
    "update_notepad",
    fc.record({ operation: fc.constantFrom("append", "prepend", "delete"), content: randomText }),
  ),
  call(
    "update_notepad",
    fc.record({
      operation: fc.constant("find_replace"),
      find: randomText,
      replace: randomText,
      replace_all: fc.boolean(),
    }),
  ),
  call("add_note", fc.record({ content: randomText, tags }, { requiredKeys: ["content"] })),
  call("add_note", fc.record({ content: randomText, tags })),
  call("scratch_note", fc.record({ content: randomText })),
  onNote("update_note", fc.record({ content: randomText, tags }, { requiredKeys: [] })),
  onNote("delete_note", fc.constant({})),
  scratchpad(
    fc.record({ action: fc.constantFrom("set_notes", "append_notes", "set_plan"), content: randomText }),
  ),
  scratchpad(fc.record({ action: fc.constantFrom("refs.add", "refs.remove"), ref: randomText })),
  scratchpad(
    fc.record({
      action: fc.constant("refs.set"),
      items: fc.array(fc.oneof(randomText, fc.constant(1)), { maxLength: 5 }),
    }),
  ),
  scratchpad(
    fc.record(
      { content: randomText, mode: fc.constantFrom("replace", "append") },
      { requiredKeys: ["content"] },
    ),
  ),
);

/** Fills in the id of the picked note; "note_0", which does not exist, if there are no notes. */
export async function resolveCall(session: Session, { tool, input, pick }: RandomCall): Promise<Call> {
  if (pick === undefined) return { tool, input };
  const notes = await session.notes.all();
  return { tool, input: { id: notes[pick % Math.max(1, notes.length)]?.id ?? "note_0", ...input } };
}

/** Makes a random call; returns whether it was accepted. */
export async function play(session: Session, random: RandomCall): Promise<boolean> {
  const { tool, input } = await resolveCall(session, random);
  return (await session.call(tool, input)).ok;
}

/** A memory with the model's small limits, in which a token is a character. */
export function openSmallMemory(options: Partial<MemoryOptions> = {}): Promise<Memory> {
  return openTestMemory({
    limits: modelLimits,
    tokenizer: { name: "characters", count: characters },
    ...options,
  });
}
