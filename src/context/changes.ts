import { diffLines } from "../engine/diff.ts";
import type { Context } from "./blocks.ts";
import { fenceContent } from "./fence.ts";

/** The memory as shown to the model. */
export interface MemoryView {
  /** Undefined if the notepad is not in use. */
  notepad: string | undefined;
  /** The blocks of the other surfaces, by surface. */
  blocks: ReadonlyMap<string, string>;
}

export interface PlannedChange {
  /** "" if only the system prompt changed. */
  text: string;
  /** The system prompt and skills, labelled, if they changed. */
  instructions?: string;
  /** The text is a full copy of the notepad, which replaces every earlier one. */
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
 * The text that updates the model's view of the memory; undefined if it is up to date. `believed` is the notepad the
 * model would infer from its own edits. If someone undid such an edit, `believed` is wrong although `shown` equals
 * `now`; then show the full notepad. `shorten` cuts a text that is too long for the window.
 */
export function planChange(
  shown: MemoryView,
  now: MemoryView,
  changedBefore: number,
  believed = shown.notepad,
  shorten = (text: string) => text,
): PlannedChange | undefined {
  const parts: string[] = [];
  let instructions: string | undefined;
  let whole = false;
  if (now.notepad !== undefined && shown.notepad === now.notepad && believed !== now.notepad) {
    whole = true;
    parts.push(renderWhole(now.notepad, shorten));
  } else if (now.notepad !== undefined && shown.notepad !== now.notepad) {
    const changes = renderChanges(shown.notepad ?? "", now.notepad);
    // If the changes are longer than the notepad, a full copy is cheaper.
    whole =
      changedBefore + changes.length > Math.max(now.notepad.length, 200) || shorten(changes) !== changes;
    parts.push(whole ? renderWhole(now.notepad, shorten) : changes);
  }
  for (const surface of new Set([...shown.blocks.keys(), ...now.blocks.keys()])) {
    const block = now.blocks.get(surface);
    // Pins are never shortened.
    const fit = surface === "pins" ? (text: string) => text : shorten;
    if (block === shown.blocks.get(surface)) continue;
    if (block === undefined) parts.push(`[The ${surface} block is empty now]`);
    else if (surface === "knowledge") instructions = renderInstructions(fit(block));
    else parts.push(fit(block));
  }
  if (parts.length === 0 && instructions === undefined) return undefined;
  return { text: parts.join("\n\n"), whole, ...(instructions === undefined ? {} : { instructions }) };
}

/** Other blocks have markers of their own. Instructions must not pass for a message of the user. */
function renderInstructions(block: string): string {
  return `[System prompt and skills, changed; they replace every earlier copy]\n${block}\n[End of system prompt and skills]`;
}

/** A line diff; `@N` gives the position in the text as last shown. */
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
  return `[Notepad changes; @N: after line N of the notepad as last shown, - removed, + added]\n${out.join("\n")}\n[End of notepad changes]`;
}

function renderWhole(notepad: string, shorten: (text: string) => string): string {
  if (notepad === "") return "[Notepad: now empty; replaces every earlier copy]";
  const content = fenceContent(notepad);
  const shown = shorten(content);
  const what = shown === content ? "full and current" : "current, without its middle";
  return `[Notepad, ${what}; replaces every earlier copy]\n${shown}\n[End of notepad]`;
}
