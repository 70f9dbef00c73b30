import { diffLines } from "../engine/diff.ts";
import type { Context } from "./blocks.ts";
import { fenceContent } from "./fence.ts";

/** What the model is shown of the memory at one moment. */
export interface MemoryView {
  /** Undefined where the notepad is not in use. */
  notepad: string | undefined;
  /** The blocks of the other surfaces, by surface. */
  blocks: ReadonlyMap<string, string>;
}

export interface PlannedChange {
  text: string;
  /** True: a whole copy that replaces everything shown before. */
  whole: boolean;
}

export function viewOf(context: Context, notepad: string): MemoryView {
  const others = context.blocks.filter(({ surface }) => surface !== "notepad");
  return {
    notepad: context.surfaces.includes("notepad") ? notepad : undefined,
    blocks: new Map(others.map(({ surface, text }) => [surface, text])),
  };
}

/**
 * The text that brings the model's picture of the memory up to date; undefined when it is up to date. `believed` is the
 * notepad as the model would work it out by now. It may be wrong even where nothing differs from what was shown: when
 * somebody took back what the agent wrote. Then the whole notepad is shown.
 */
export function planChange(
  shown: MemoryView,
  now: MemoryView,
  changedBefore: number,
  believed = shown.notepad,
): PlannedChange | undefined {
  const parts: string[] = [];
  let whole = false;
  if (now.notepad !== undefined && shown.notepad === now.notepad && believed !== now.notepad) {
    whole = true;
    parts.push(renderWhole(now.notepad));
  } else if (now.notepad !== undefined && shown.notepad !== now.notepad) {
    const changes = renderChanges(shown.notepad ?? "", now.notepad);
    // Changes that have grown past the notepad itself cost more than showing it once more.
    whole = changedBefore + changes.length > Math.max(now.notepad.length, 200);
    parts.push(whole ? renderWhole(now.notepad) : changes);
  }
  for (const surface of new Set([...shown.blocks.keys(), ...now.blocks.keys()])) {
    const block = now.blocks.get(surface);
    if (block !== shown.blocks.get(surface)) parts.push(block ?? `[The ${surface} block is empty now]`);
  }
  return parts.length === 0 ? undefined : { text: parts.join("\n\n"), whole };
}

/** Line by line; `@N` says after which line of the text shown before, so that nothing is left to guess. */
function renderChanges(before: string, after: string): string {
  const out: string[] = [];
  let oldLine = 0;
  let inChange = false;
  for (const { kind, text } of diffLines(before, after)) {
    if (kind === "same") {
      oldLine++;
      inChange = false;
      continue;
    }
    if (!inChange) out.push(`@${oldLine}`);
    inChange = true;
    if (kind === "removed") oldLine++;
    out.push(`${kind === "added" ? "+" : "-"} ${fenceContent(text)}`);
  }
  return `[Notepad changes; @N: after line N of the notepad as last shown, - is gone, + is new]\n${out.join("\n")}\n[End of notepad changes]`;
}

function renderWhole(notepad: string): string {
  if (notepad === "") return "[Notepad: it is empty now; this replaces every earlier copy]";
  return `[Notepad, whole and current; it replaces every earlier copy]\n${fenceContent(notepad)}\n[End of notepad]`;
}
