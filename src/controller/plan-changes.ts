import { fenceContent } from "../context/fence.ts";
import { renderScratchpad } from "../context/blocks.ts";
import { diffLines } from "../engine/diff.ts";
import type { Scratchpad } from "../engine/scratchpad.ts";

/** What the model was last shown of the memory, and what the memory is now. */
export interface MemoryView {
  notepad: string;
  scratchpad: Scratchpad;
}

export interface PlannedChange {
  text: string;
  /** True: a whole copy that replaces everything shown before. */
  whole: boolean;
}

/** The text that brings the model's picture of the memory up to date; undefined when it is up to date. */
export function planChange(shown: MemoryView, now: MemoryView, changedBefore: number): PlannedChange | undefined {
  const parts: string[] = [];
  let whole = false;
  if (shown.notepad !== now.notepad) {
    const changes = renderChanges(shown.notepad, now.notepad);
    // Changes that have grown past the notepad itself cost more than showing it once more.
    whole = changedBefore + changes.length > Math.max(now.notepad.length, 200);
    parts.push(whole ? renderWhole(now.notepad) : changes);
  }
  const scratchpad = renderScratchpad(now.scratchpad);
  if (scratchpad !== renderScratchpad(shown.scratchpad)) parts.push(scratchpad || "[Session Scratchpad: empty now]");
  return parts.length === 0 ? undefined : { text: parts.join("\n\n"), whole };
}

function renderChanges(before: string, after: string): string {
  const lines = diffLines(before, after).flatMap(({ kind, text }) =>
    kind === "same" ? [] : [`${kind === "added" ? "+" : "-"} ${fenceContent(text)}`],
  );
  return `[Notepad changes: - is gone, + is new]\n${lines.join("\n")}\n[End of notepad changes]`;
}

function renderWhole(notepad: string): string {
  const body = notepad === "" ? "(empty)" : fenceContent(notepad);
  return `[Notepad, whole and current; it replaces every earlier copy]\n${body}\n[End of notepad]`;
}
