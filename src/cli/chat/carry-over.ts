import { foreignLines, linesIn } from "../../engine/origins.ts";
import type { State } from "../../engine/state.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { scratchpadWrite } from "../commands/edit.ts";

/** Holdfast copies for the agent, so the text counts as the agent's own. */
const asAgent = { actor: { kind: "system" as const } };

/** A new session with the memory of another one, without its conversation. Each text keeps its author. */
export async function carryOver(memory: Memory, from: Session): Promise<Session> {
  const state = await from.state();
  const { title, agent } = state.row;
  const to = await memory.createSession({ agent, ...(title === null ? {} : { title }) });
  if (state.row.notepad !== null) await copyNotepad(state, to);
  const { notes, plan, refs } = await from.scratchpad.read();
  if (plan !== "") await to.scratchpad.setPlan(plan, asAgent);
  if (notes !== "") await to.apply(scratchpadWrite("notes", notes, memory.setting), asAgent);
  for (const ref of refs) await to.scratchpad.addRef(ref, asAgent);
  for (const { content, tags, by } of (await from.notes.all()).toReversed())
    await to.notes.add(content, tags, by === undefined ? asAgent : { actor: { kind: by } });
  for (const { text, by } of await from.pins.list()) await to.pins.pin(text, { actor: { kind: by } });
  return to;
}

/** Writes the agent's lines first, and then each stretch of another author's as that author. */
async function copyNotepad(state: State, to: Session): Promise<void> {
  const lines = linesIn(state, "notepad");
  const foreign = foreignLines(state, "notepad");
  const withFirst = (count: number) =>
    lines
      .filter((_line, index) =>
        foreign.slice(count).every(({ from, to: last }) => index + 1 < from || index + 1 > last),
      )
      .join("\n");
  await to.notepad.write(withFirst(0), asAgent);
  for (const [index, { by }] of foreign.entries())
    await to.notepad.write(withFirst(index + 1), { actor: { kind: by } });
}
