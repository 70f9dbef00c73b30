import { readShownChanges, readSnapshot } from "../engine/conversation.ts";
import type { ShownBlock } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { Block, Context } from "./blocks.ts";

/** The memory as a conversation was last shown it: the newest block of each surface, whole. */
export type ShownBlocks = ReadonlyMap<string, ShownBlock>;

/** The blocks of a context, as they are shown now. */
export function blocksOf({ blocks }: Pick<Context, "blocks">): ShownBlock[] {
  return blocks.map(({ surface, text, isEmpty, cutFrom }) => ({
    surface,
    text,
    ...(isEmpty ? { isEmpty } : {}),
    ...(cutFrom === undefined ? {} : { cutFrom }),
  }));
}

export function shownBy(context: Pick<Context, "blocks">): ShownBlocks {
  return new Map(blocksOf(context).map((block) => [block.surface, block]));
}

/** The memory in the prompts of a session: its snapshot and the changes since, from the records alone. */
export function shownIn(state: State): ShownBlocks {
  const changes = readShownChanges(state).filter(({ surface }) => surface !== "");
  return new Map([...readSnapshot(state), ...changes].map((block) => [block.surface, block]));
}

/**
 * The blocks to show next: those that differ from what was shown, whole. `again` names surfaces to show even so: somebody
 * may have reverted an edit that the model sees in its own calls.
 *
 * @example
 * const changes = changesSince(shown, context);
 * const text = changes.map(changeText).join("\n\n");
 */
export function changesSince(
  shown: ShownBlocks,
  context: Pick<Context, "blocks" | "surfaces">,
  again: readonly string[] = [],
): ShownBlock[] {
  const now = shownBy(context);
  const names = [...new Set([...shown.keys(), ...now.keys()])].filter((name) =>
    context.surfaces.includes(name),
  );
  const changed = names.filter(
    (name) => again.includes(name) || wholeOf(shown.get(name)) !== wholeOf(now.get(name)),
  );
  return changed
    .sort((a, b) => Number(b === "notepad") - Number(a === "notepad"))
    .map((name) => now.get(name) ?? { surface: name, text: "" });
}

function wholeOf(block: ShownBlock | undefined): string {
  return block?.cutFrom ?? block?.text ?? "";
}

/** Whether the conversation still reads the hint of an empty surface that has been written to since. */
export function showsOldHint(
  shown: readonly ShownBlock[],
  { blocks }: { blocks: readonly Block[] },
): boolean {
  return shown.some(
    ({ surface, isEmpty }) => isEmpty && blocks.some((block) => block.surface === surface && !block.isEmpty),
  );
}

/** A changed block for the conversation. Most blocks have markers of their own. */
export function changeText({ surface, text, cutFrom, isEmpty }: ShownBlock): string {
  if (surface !== "" && text === "") return `[The ${surface} block is empty now]`;
  if (surface === "knowledge")
    return `[System prompt and skills, changed; they replace every earlier copy]\n${text}\n[End of system prompt and skills]`;
  if (surface !== "notepad") return text;
  if (isEmpty) return "[Notepad: now empty; replaces every earlier copy]";
  const what = cutFrom === undefined ? "full and current" : "current, without its middle";
  return `[Notepad, ${what}; replaces every earlier copy]\n${text.replace("## Session Notepad\n", "")}\n[End of notepad]`;
}
