import { planChange } from "../context/changes.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { Placement } from "../context/placement.ts";

export interface MemoryOptions {
  /** Size of the notepad. */
  notepadTokens: number;
  /** Calls from one edit to the next. */
  editEvery: number;
  /** Tokens of the notepad that one edit replaces. */
  editTokens: number;
  /** Idle minutes after which `epoch` takes a new snapshot, as the controller does; 0: only at compactions. */
  foldAfter: number;
}

/** One edit replaces one line. */
export const defaultMemory: MemoryOptions = {
  notepadTokens: 1_500,
  editEvery: 10,
  editTokens: 25,
  foldAfter: 5,
};

/** A piece of memory in a prompt. Pieces with the same version have the same bytes. */
export interface MemoryPiece {
  version: string;
  tokens: number;
  /** Index of the message it precedes; undefined: it ends the system prompt. */
  before: number | undefined;
}

export interface MemoryTurn {
  call: number;
  /** Whether the conversation was compacted directly before this call. */
  compacted: boolean;
  /** Milliseconds since the previous answer. */
  idle: number;
  /** Index of the first user message that is new in this call. */
  newAsk: number | undefined;
  /** Index of the newest user message in the prompt. */
  newestAsk: number;
}

export interface MemoryModel {
  /** The memory in the prompt of this call. Call it once per call, in order. */
  place(turn: MemoryTurn): MemoryPiece[];
}

/** A model with a checkpoint of this size after each compaction, which stays the same until the next one. */
export function withCheckpoint(model: MemoryModel, tokens: number): MemoryModel {
  let compactions = 0;
  return {
    place(turn) {
      if (turn.compacted) compactions++;
      const version = `checkpoint ${compactions}`;
      return [...(compactions > 0 ? [{ version, tokens, before: undefined }] : []), ...model.place(turn)];
    },
  };
}

/** A notepad of fixed size, placed by one of the three policies; each edit rewrites the next few lines. */
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

/** A snapshot frozen at the start of the epoch, then Holdfast's change messages, each before the user's next message. */
function createEpochModel(notepad: Notepad, options: MemoryOptions): MemoryModel {
  let snapshot = 0;
  let shown = 0;
  let changed = 0;
  let changes: MemoryPiece[] = [];
  return {
    place({ call, compacted, idle, newAsk }) {
      const now = versionAt(call, options);
      if (compacted || (options.foldAfter > 0 && idle > options.foldAfter * 60_000)) {
        snapshot = shown = now;
        changed = 0;
        changes = [];
      }
      if (newAsk !== undefined && now !== shown) {
        const change = planChange(viewOf(notepad.text(shown)), viewOf(notepad.text(now)), changed);
        if (change) {
          changes.push({
            version: `change ${shown} to ${now}`,
            tokens: notepad.count(change.text),
            before: newAsk,
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

/** Lines as agents write them. An edit replaces the next few, so the notepad keeps its length. */
function createNotepad({
  notepadTokens,
  editTokens,
}: Pick<MemoryOptions, "notepadTokens" | "editTokens">): Notepad {
  const line = (index: number, edition: number) =>
    `- [x] step ${index + 1}: src/module-${index % 9}/file-${edition % 97}.ts holds the parser; finding ${index * 7 + edition} is noted`;
  const perLine = estimateTokens(`${line(10, 10)}\n`);
  const lines = Math.max(1, Math.round(notepadTokens / perLine));
  const perEdit = Math.min(lines, Math.max(1, Math.round(editTokens / perLine)));
  const text = (version: number) =>
    Array.from({ length: lines }, (_, index) => {
      // How often this line was edited: edits cycle through all lines.
      const edition = Math.ceil((version * perEdit - index) / lines);
      return line(index, Math.max(0, edition));
    }).join("\n");
  const scale = notepadTokens / estimateTokens(text(0));
  return { text, count: (content) => estimateTokens(content) * scale };
}
