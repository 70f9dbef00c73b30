import { linesShown } from "../../compaction/receipt.ts";
import { joinCut } from "../../context/code-blocks.ts";
import { originLine } from "../../context/origin-line.ts";
import type { Receipt } from "../../engine/records.ts";
import type { State } from "../../engine/state.ts";
import { redactText, type SecretPolicy } from "../../secrets/redact.ts";
import { renderNotepad, withOrigin } from "../../surfaces/notepad/block.ts";
import { renderPins } from "../../surfaces/pins/block.ts";
import { listPins } from "../../surfaces/pins/operations.ts";
import { renderScratchpad, scratchpadOrigin } from "../../surfaces/scratchpad/block.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import { tasksView } from "../../surfaces/tasks/block.ts";
import type { Escaping } from "../host.ts";
import { agentCommand } from "../install/launcher.ts";

/** Above 10,000 characters one host shows the model a preview only, and another cuts at about as many bytes. */
export const maxInjected = 9_500;

/** The share of a part that is never cut. */
const neverCut = Number.POSITIVE_INFINITY;

/** The part of it reserved for the receipt. */
const receiptBytes = 300;

/** The bytes that the receipt and its gap leave. */
const besideReceipt = maxInjected - receiptBytes - 2;

/** The bytes of a handoff if the notepad is too long to be shown whole. */
const handoffShare = 1_900;

/** How to read on, or a function that finds it out: the command depends on the PATH, and most texts are not cut. */
type More = string | (() => string);

/** A part of the text for the model. `share` is the bytes it gets if there is not enough room for all. */
interface Part {
  text: string;
  share: number;
  /** How to read the part that was cut. */
  more: More;
  name?: "notepad" | "handoff";
  /** Shortens the text (default: cuts the middle). */
  cut?: typeof cutMiddle;
}

export interface MemoryText {
  /** `allow` shows secrets of the store as they are (default: redact them). */
  secrets?: SecretPolicy | undefined;
  lead: string;
  state: State | undefined;
  sessionId: string;
  /** After a compaction: its handoff; "" if handoffs are off. The receipt goes below it. */
  handoff?: string;
  /** Level 1 of the project's NOTES.md. */
  project?: string;
  /** Whether the agent gets a surface; others are neither shown nor named (default: it gets every one). */
  offers?: (surface: "notepad" | "notes" | "project" | "recall" | "scratchpad" | "tasks") => boolean;
  /** Whether the agent has our tools (default: it has). Without them, no text names one. */
  hasTools?: boolean;
  /** After a clearing, level 1 comes before the rest of memory, but never before the pins. */
  isProjectFirst?: boolean;
  /** Lines below the memory. */
  hints?: readonly string[];
  escaping?: Escaping | undefined;
}

export interface RenderedMemory {
  /** Everything but the receipt. */
  text: string;
  /** The whole text, with the receipt below the handoff. */
  withReceipt(line: string): string;
  /** Lines of the notepad, and how many of them are in the text. */
  notepad: Receipt["notepad"];
}

/**
 * The memory as text for a host: pins, notepad, plan, handoff and receipt, in that order, within the host's limit. Pins and
 * notepad are whole if they fit at all. The user's rules are shown whatever the surfaces are.
 */
export function renderMemory(memory: MemoryText): RenderedMemory {
  const { parts, receiptIndex } = partsOf(memory);
  const texts = fit(parts, memory.handoff === undefined ? maxInjected : besideReceipt);
  const clean = memory.escaping?.escape ?? ((text: string) => text);
  return {
    text: texts.join("\n\n"),
    notepad: notepadLines(memory, texts[parts.findIndex(({ name }) => name === "notepad")] ?? ""),
    withReceipt: (line) =>
      [
        ...texts.slice(0, receiptIndex),
        cutMiddle(clean(line), receiptBytes, () => showing(memory)),
        ...texts.slice(receiptIndex),
      ]
        .filter((text) => text !== "")
        .join("\n\n"),
  };
}

/** The parts in their order, escaped for the host, and where the receipt goes: below the handoff. */
function partsOf(memory: MemoryText): { parts: Part[]; receiptIndex: number } {
  const { lead, state, handoff = "", project = "", hints = [], escaping, offers = () => true } = memory;
  const { hasTools = true } = memory;
  const show = () => showing(memory);
  const call = (tool: string): More => (hasTools ? `call ${tool}` : show);
  const hide = hiderOf(memory);
  const recover = hasTools && offers("project") ? "call recover_context, or read NOTES.md" : "read NOTES.md";
  const notes: Part = { text: hide(project), share: 1_000, more: recover };
  const above: Part[] = [
    { text: lead, share: neverCut, more: show },
    { text: hide(state ? renderPins(listPins(state)) : ""), share: neverCut, more: show },
    ...(memory.isProjectFirst ? [notes] : []),
    {
      // The hint of an empty notepad names the tools.
      text: offers("notepad") && (hasTools || state?.row.notepad) ? hide(notepadText(state)) : "",
      share: 3_400,
      more: call("read_notepad"),
      name: "notepad",
      // Its heading and its end are not lines of the notepad.
      cut: (text, limit, more) => cutMiddle(text, limit, more, linesOf(state?.row.notepad ?? "")),
    },
    { text: state && offers("scratchpad") ? scratchpadOrigin(state) : "", share: 200, more: show },
    {
      text: state && offers("scratchpad") ? hide(renderScratchpad(readScratchpad(state))) : "",
      share: 1_300,
      more: call("session_scratchpad without arguments"),
      cut: cutScratchpad,
    },
    {
      text: state && offers("tasks") ? hide(tasksView.block?.(state)?.text ?? "") : "",
      share: 200,
      more: show,
    },
    // Secrets were taken out before it was cut.
    { text: handoff, share: handoffShare, more: offers("recall") ? call("recall") : show, name: "handoff" },
  ];
  const clean = escaping?.escape ?? ((text: string) => text);
  const isEscaped = [...above, notes, { text: hints.join("\n") }].some(({ text }) => clean(text) !== text);
  const lines = [
    hasTools && offers("notes") ? keptNotes(state) : "",
    ...hints,
    isEscaped ? (escaping?.hint ?? "") : "",
  ];
  const below = [
    ...(memory.isProjectFirst ? [] : [notes]),
    { text: lines.filter((line) => line !== "").join("\n"), share: 500, more: show },
  ];
  const present = ({ text }: Part) => text !== "";
  const parts = [...above, ...below].filter(present).map((part) => ({ ...part, text: clean(part.text) }));
  return { parts, receiptIndex: above.filter(present).length };
}

/** How many lines of the notepad are shown above and below its cut. */
function notepadLines(memory: MemoryText, shown: string): Receipt["notepad"] {
  const notepad = memory.state?.row.notepad ?? "";
  if (shown === "" || notepad === "") return { lines: 0, shown: 0 };
  const clean = memory.escaping?.escape ?? ((text: string) => text);
  const section = clean(hiderOf(memory)(renderNotepad(notepad)));
  // The notepad's own text cannot contain our marker: it would be escaped.
  const [above = "", below] = shown.split(cutMarker);
  return linesShown(section.slice(section.indexOf("\n") + 1), above, below);
}

/** An older store may have secrets. */
function hiderOf({ secrets }: MemoryText): (text: string) => string {
  return secrets === "allow" ? (text) => text : (text) => redactText(text);
}

function showing({ sessionId }: MemoryText): string {
  return `run "${agentCommand()} show ${sessionId}"`;
}

/** Bytes for a handoff: what the rest of the memory leaves, and at least its share, in addition to the parts that are never cut. */
export function handoffRoom(memory: Omit<MemoryText, "handoff">): number {
  const { text } = renderMemory(memory);
  const { parts } = partsOf({ ...memory, handoff: "x".repeat(handoffShare) });
  const rooms = roomsFor(withWholeNotepad(parts, besideReceipt), besideReceipt);
  const least = rooms[parts.findIndex(({ name }) => name === "handoff")] ?? 0;
  // One more gap, around the handoff.
  return Math.max(least, besideReceipt - bytesOf(text) - 2);
}

function keptNotes(state: State | undefined): string {
  const notes = state?.row.counters.notes ?? 0;
  if (notes === 0) return "";
  const are = notes === 1 ? "1 note is" : `${notes} notes are`;
  return `${are} kept as well: call search_notes or list_notes.`;
}

function notepadText(state: State | undefined): string {
  const notepad = state?.row.notepad ?? "";
  if (notepad === "" || !state) return renderNotepad("");
  const origin = originLine(state, "notepad", "notepad");
  return withOrigin(origin, `${renderNotepad(notepad)}\n[End of notepad]`);
}

/** Gives each part its share of the budget; what is left over goes to the first parts that need more. */
function fit(given: readonly Part[], budget: number): string[] {
  const parts = withWholeNotepad(given, budget);
  const rooms = roomsFor(parts, budget);
  let left = budget - gapsOf(parts) - sumOf(rooms);
  return parts.map(({ text, more, cut = cutMiddle }, index) => {
    const room = rooms[index] ?? 0;
    const extra = Math.max(0, Math.min(left, bytesOf(text) - room));
    left -= extra;
    return cut(text, room + extra, more);
  });
}

/** The notepad is never cut if it fits with the parts that are not cut either. */
function withWholeNotepad(parts: readonly Part[], budget: number): readonly Part[] {
  const first = parts.filter(({ share, name }) => share === neverCut || name === "notepad");
  const needed = sumOf(first.map(({ text }) => bytesOf(text))) + gapsOf(parts);
  if (needed > budget) return parts;
  return parts.map((part) => (part.name === "notepad" ? { ...part, share: neverCut } : part));
}

function gapsOf(parts: readonly Part[]): number {
  return 2 * (parts.length - 1);
}

/** The share of each part, or less where what is never cut leaves less than the shares of the others. */
function roomsFor(parts: readonly Part[], budget: number): number[] {
  const shares = parts.map(({ text, share }) => Math.min(bytesOf(text), share));
  const fixed = sumOf(shares.filter((_, index) => parts[index]?.share === neverCut));
  const room = Math.max(0, budget - gapsOf(parts) - fixed);
  const scale = Math.min(1, room / Math.max(1, sumOf(shares) - fixed));
  return shares.map((share, index) => (parts[index]?.share === neverCut ? share : Math.floor(share * scale)));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Cuts each space separately; the plan matters most and gets most of the room. */
function cutScratchpad(text: string, limit: number, more: More): string {
  if (bytesOf(text) <= limit) return text;
  const [start, end] = [text.indexOf("\n") + 1, text.lastIndexOf("\n")];
  const spaces = text.slice(start, end).split(/\n\n(?=(?:Plan|References):\n)/);
  const room = limit - start - bytesOf(text.slice(end));
  const shareOf = (space: string) => Math.floor((room - 4) * (space.startsWith("Plan:\n") ? 0.6 : 0.2));
  const parts = spaces.map((space) => ({ text: space, share: shareOf(space), more }));
  const cut = `${text.slice(0, start)}${fit(parts, room).join("\n\n")}${text.slice(end)}`;
  // Its first and last line alone may be longer.
  return bytesOf(cut) <= limit ? cut : cutMiddle(text, limit, more);
}

/** Room to close and reopen a code block that the cut goes through. */
const codeBlockBytes = 24;

/** Begins the line that stands for the cut lines. */
const cutMarker = "[… cut here";

/** In place of a text for which there is no room at all. */
const shortMarker = "[…]";

/** Cuts whole lines from the middle: plans are at the top of a text, and the newest lines at the end. */
export function cutMiddle(text: string, limit: number, more: More, lines = linesOf(text)): string {
  if (bytesOf(text) <= limit) return text;
  const marker = `${cutMarker}, ${lines} lines in all: ${typeof more === "string" ? more : more()} to read the rest …]`;
  const room = limit - bytesOf(marker) - codeBlockBytes;
  if (room < 0) return bytesOf(shortMarker) <= limit ? shortMarker : "";
  const head = firstLines(text, Math.floor(room * 0.4));
  const tail = lastLines(text.slice(head.length), room - bytesOf(head));
  return joinCut(text, head.length, text.length - tail.length, marker);
}

function linesOf(text: string): number {
  return text.split("\n").length;
}

/** As many whole lines as fit, or part of a line if whole lines would fill less than half of the room. */
function firstLines(text: string, limit: number): string {
  const fitting = firstBytes(text, limit);
  const end = fitting.lastIndexOf("\n");
  return end >= fitting.length / 2 ? fitting.slice(0, end) : fitting;
}

function lastLines(text: string, limit: number): string {
  const fitting = lastBytes(text, limit);
  const start = fitting.indexOf("\n");
  return start !== -1 && start < fitting.length / 2 ? fitting.slice(start + 1) : fitting;
}

export function bytesOf(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** As much of the beginning as fits, in whole characters. */
function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, "utf8");
  let end = Math.max(0, Math.min(limit, bytes.length));
  while (end > 0 && end < bytes.length && isContinuation(bytes[end])) end--;
  return bytes.toString("utf8", 0, end);
}

function lastBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, "utf8");
  let start = Math.max(0, bytes.length - Math.max(0, limit));
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.toString("utf8", start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
