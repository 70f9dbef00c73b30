import { planChange } from "../context/changes.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { Placement } from "../context/prompt.ts";

export interface MemoryOptions {
  /** Size of the notepad. */
  notepadTokens: number;
  /** Calls from one edit to the next. */
  editEvery: number;
  /** Tokens of the notepad that one edit replaces. */
  editTokens: number;
  /** Minutes without a call after which `epoch` takes a fresh snapshot, as the controller does; 0: only at compactions. */
  foldAfter: number;
}

/** One edit replaces one line. */
export const defaultMemory: MemoryOptions = {
  notepadTokens: 1_500,
  editEvery: 10,
  editTokens: 25,
  foldAfter: 5,
};

/** A piece of memory in a prompt. Two pieces with one version have the same bytes. */
export interface MemoryPiece {
  version: string;
  tokens: number;
  /** Index of the message it is placed before; undefined: at the end of the system prompt. */
  before: number | undefined;
}

export interface MemoryTurn {
  call: number;
  /** Whether the conversation was compacted directly before this call. */
  compacted: boolean;
  /** Milliseconds since the answer before. */
  idle: number;
  /** Index of the first message by the user that this call is the first to see. */
  asked: number | undefined;
  /** Index of the newest message by the user in the prompt. */
  newestAsk: number;
}

export interface MemoryModel {
  /** The memory in the prompt of this call. Called once for each call, in order. */
  place(turn: MemoryTurn): MemoryPiece[];
}

/** A notepad of a fixed size in which every edit rewrites the next few lines, placed by one of the three policies. */
export function createMemoryModel(placement: Placement, options: MemoryOptions): MemoryModel {
  const notepad = createNotepad(options);
  if (placement === "epoch") return createEpochModel(notepad, options);
  return {
    place: ({ call, newestAsk }) => [
      {
        version: `notepad ${versionAt(call, options)}`,
        tokens: options.notepadTokens,
        before: placement === "system" ? undefined : newestAsk,
      },
    ],
  };
}

function versionAt(call: number, { editEvery }: MemoryOptions): number {
  return Math.floor(call / editEvery);
}

/** Frozen at the start of the epoch, then Holdfast's own change messages, each before the user's next message. */
function createEpochModel(notepad: Notepad, options: MemoryOptions): MemoryModel {
  let snapshot = 0;
  let shown = 0;
  let changed = 0;
  let changes: MemoryPiece[] = [];
  return {
    place({ call, compacted, idle, asked }) {
      const now = versionAt(call, options);
      if (compacted || (options.foldAfter > 0 && idle > options.foldAfter * 60_000)) {
        snapshot = shown = now;
        changed = 0;
        changes = [];
      }
      if (asked !== undefined && now !== shown) {
        const change = planChange(viewOf(notepad.text(shown)), viewOf(notepad.text(now)), changed);
        if (change) {
          changes.push({
            version: `change ${shown} to ${now}`,
            tokens: notepad.count(change.text),
            before: asked,
          });
          changed = change.whole ? 0 : changed + change.text.length;
        }
        shown = now;
      }
      return [
        { version: `snapshot ${snapshot}`, tokens: options.notepadTokens, before: undefined },
        ...changes,
      ];
    },
  };
}

function viewOf(notepad: string): Parameters<typeof planChange>[0] {
  return { notepad, blocks: new Map() };
}

interface Notepad {
  text(version: number): string;
  count(text: string): number;
}

/** Lines as agents write them. An edit replaces the next few, so that the notepad is as long after as before. */
function createNotepad({
  notepadTokens,
  editTokens,
}: Pick<MemoryOptions, "notepadTokens" | "editTokens">): Notepad {
  const line = (place: number, edition: number) =>
    `- [x] step ${place + 1}: src/module-${place % 9}/file-${edition % 97}.ts holds the parser; finding ${place * 7 + edition} is noted`;
  const perLine = estimateTokens(`${line(10, 10)}\n`);
  const lines = Math.max(1, Math.round(notepadTokens / perLine));
  const perEdit = Math.min(lines, Math.max(1, Math.round(editTokens / perLine)));
  const text = (version: number) =>
    Array.from({ length: lines }, (_, place) => {
      // How often this line was edited: the edits go through all lines in turn.
      const edition = Math.ceil((version * perEdit - place) / lines);
      return line(place, Math.max(0, edition));
    }).join("\n");
  const scale = notepadTokens / estimateTokens(text(0));
  return { text, count: (content) => estimateTokens(content) * scale };
}
