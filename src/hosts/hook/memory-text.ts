import type { State } from "../../engine/state.ts";
import { renderNotepad } from "../../surfaces/notepad/block.ts";
import { renderScratchpad } from "../../surfaces/scratchpad/block.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";

/** Above 10,000 characters Claude Code shows the model a preview only, and Codex cuts at about as many bytes. */
export const mostInjected = 9_500;

/** A piece of what the model is shown. `share` is what it gets of the room when there is not enough for all. */
interface Part {
  text: string;
  share: number;
  /** How to read what was left out. */
  more: string;
  /** How it is made shorter; in its middle unless said otherwise. */
  cut?: typeof cutMiddle;
}

export interface MemoryText {
  lead: string;
  state: State | undefined;
  sessionId: string;
  checkpoint?: string;
  receipt?: string;
  /** Level 1 of the project's NOTES.md. */
  project?: string;
  /** Lines below the memory. */
  hints?: readonly string[];
  /** Changes every text before it is measured. */
  clean?: (text: string) => string;
}

/** The memory as a host is given it: notepad, plan, checkpoint and receipt, in that order, within the host's limit. */
export function renderMemory(memory: MemoryText): string {
  const {
    lead,
    state,
    checkpoint = "",
    receipt = "",
    project = "",
    hints = [],
    clean = (text) => text,
  } = memory;
  const show = `run "holdfast show ${memory.sessionId}"`;
  const notes = state?.row.counters.notes ?? 0;
  const kept =
    notes === 0
      ? ""
      : `${notes === 1 ? "1 note is" : `${notes} notes are`} kept as well: call search_notes or list_notes.`;
  const parts: Part[] = [
    { text: lead, share: 400, more: show },
    { text: notepadText(state), share: 3_600, more: "call read_notepad" },
    {
      text: state ? renderScratchpad(readScratchpad(state)) : "",
      share: 1_300,
      more: show,
      cut: cutScratchpad,
    },
    { text: checkpoint, share: 1_900, more: show },
    { text: receipt, share: 900, more: show },
    { text: project, share: 1_000, more: "call recover_context, or read NOTES.md" },
    { text: [kept, ...hints].filter((line) => line !== "").join("\n"), share: 500, more: show },
  ];
  return fit(
    parts.filter(({ text }) => text !== "").map((part) => ({ ...part, text: clean(part.text) })),
    mostInjected,
  );
}

function notepadText(state: State | undefined): string {
  const notepad = state?.row.notepad ?? "";
  return notepad === "" ? renderNotepad("") : `${renderNotepad(notepad)}\n[End of notepad]`;
}

/** Whole when it fits; else each part gets its share, and what is left over goes to the first that want it. */
function fit(parts: readonly Part[], budget: number): string {
  const gaps = 2 * (parts.length - 1);
  const rooms = parts.map(({ text, share }) => Math.min(bytesOf(text), share));
  let left = budget - gaps - rooms.reduce((sum, room) => sum + room, 0);
  const texts = parts.map(({ text, more, cut = cutMiddle }, place) => {
    const room = rooms[place] ?? 0;
    const extra = Math.max(0, Math.min(left, bytesOf(text) - room));
    left -= extra;
    return cut(text, room + extra, more);
  });
  return texts.join("\n\n");
}

/** Each space is cut for itself, and the plan, which matters most, gets most of the room. */
function cutScratchpad(text: string, most: number, more: string): string {
  if (bytesOf(text) <= most) return text;
  const [start, end] = [text.indexOf("\n") + 1, text.lastIndexOf("\n")];
  const spaces = text.slice(start, end).split(/\n\n(?=(?:Plan|References):\n)/);
  const room = most - start - bytesOf(text.slice(end));
  const shareOf = (space: string) => Math.floor((room - 4) * (space.startsWith("Plan:\n") ? 0.6 : 0.2));
  const parts = spaces.map((space) => ({ text: space, share: shareOf(space), more }));
  return `${text.slice(0, start)}${fit(parts, room)}${text.slice(end)}`;
}

/** Leaves out whole lines in the middle: plans stand at the top of a text, and what is newest at its end. */
export function cutMiddle(text: string, most: number, more: string): string {
  if (bytesOf(text) <= most) return text;
  const lines = text.split("\n");
  const mark = `[… cut here, ${lines.length} lines in all: ${more} to read the rest …]`;
  const room = Math.max(0, most - bytesOf(mark) - 2);
  const head = firstLines(text, Math.floor(room * 0.4));
  const tail = lastLines(text.slice(head.length), room - bytesOf(head));
  return [head, mark, tail].filter((piece) => piece !== "").join("\n");
}

/** As many whole lines as fit; when the next one alone takes most of the room, a part of it. */
function firstLines(text: string, most: number): string {
  const fitting = firstBytes(text, most);
  const end = fitting.lastIndexOf("\n");
  return end >= fitting.length / 2 ? fitting.slice(0, end) : fitting;
}

function lastLines(text: string, most: number): string {
  const fitting = lastBytes(text, most);
  const start = fitting.indexOf("\n");
  return start !== -1 && start < fitting.length / 2 ? fitting.slice(start + 1) : fitting;
}

export function bytesOf(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** As much of the beginning as fits, never a part of a character. */
function firstBytes(text: string, most: number): string {
  const bytes = Buffer.from(text, "utf8");
  let end = Math.max(0, Math.min(most, bytes.length));
  while (end > 0 && end < bytes.length && isContinuation(bytes[end])) end--;
  return bytes.toString("utf8", 0, end);
}

function lastBytes(text: string, most: number): string {
  const bytes = Buffer.from(text, "utf8");
  let start = Math.max(0, bytes.length - Math.max(0, most));
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.toString("utf8", start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
