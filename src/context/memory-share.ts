import type { Block, Context } from "./blocks.ts";
import { chooseEnds, renderEnds } from "./excerpt.ts";

/** A block that is shown without its middle. */
export interface ShortenedBlock {
  surface: string;
  /** Tokens of the whole block, and of what is shown. */
  tokens: number;
  shown: number;
  /** Characters that would be shown in full. */
  fitting: number;
}

export interface FittedContext extends Context {
  /** Tokens of all blocks that share the room, whole. */
  tokens: number;
  shortened: readonly ShortenedBlock[];
}

/** Tokens for the note in place of what is cut. */
const noteTokens = 60;

/** Blocks that an agent can least do without, most important first; the others follow. */
const ranks = ["tasks", "scratchpad", "notepad"];

/** Shown whole, whatever the window; it has a small budget of its own. */
const neverShortened = "pins";

/** Shortens the blocks so that together they take at most `room` tokens, the most important last. Pins take none of it. */
export function fitBlocks(
  context: Context,
  room: number,
  countTokens: (text: string) => number,
): FittedContext {
  const sizes = context.blocks.map(({ surface, text }) =>
    surface === neverShortened ? 0 : countTokens(text),
  );
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (all <= room) return { ...context, tokens: all, shortened: [] };
  const shares = shareByRank(context.blocks, sizes, room);
  const shortened: ShortenedBlock[] = [];
  const blocks = context.blocks.map((block, index) => {
    const [tokens = 0, share = 0] = [sizes[index], shares[index]];
    if (share >= tokens) return block;
    const text = cutBlock(block, Math.max(0, share - noteTokens), countTokens);
    const fitting = Math.floor((block.text.length * share) / tokens);
    shortened.push({ surface: block.surface, tokens, shown: countTokens(text), fitting });
    return { ...block, text, cutFrom: block.text };
  });
  const textsFor = (placement: Block["placement"]) =>
    blocks.filter((block) => block.placement === placement).map(({ text }) => text);
  return {
    ...context,
    blocks,
    system: [context.guidance, ...textsFor("system")].filter((text) => text !== "").join("\n\n"),
    message: textsFor("message").join("\n\n"),
    tokens: all,
    shortened,
  };
}

/** In order of rank, each block gets up to half of what is left; then the remainder, again in order. */
function shareByRank(blocks: readonly Block[], sizes: readonly number[], room: number): number[] {
  const rankOf = (index: number) => {
    const rank = ranks.indexOf(blocks[index]?.surface ?? "");
    return rank === -1 ? ranks.length : rank;
  };
  const order = blocks.map((_, index) => index).sort((a, b) => rankOf(a) - rankOf(b));
  const shares = new Array<number>(blocks.length).fill(0);
  let left = room;
  for (const limit of [() => left / 2, () => left]) {
    for (const index of order) {
      const more = Math.min((sizes[index] ?? 0) - (shares[index] ?? 0), limit());
      shares[index] = (shares[index] ?? 0) + more;
      left -= more;
    }
  }
  return shares;
}

function cutBlock({ text, whole }: Block, room: number, countTokens: (text: string) => number): string {
  const ends = chooseEnds(text, room, countTokens) ?? { head: text.length, tail: 0 };
  const hidden = text.length - ends.head - ends.tail;
  const way = whole === undefined ? "" : ` ${whole}`;
  const note = `[Not shown here: ${hidden} characters of this memory, which is longer than its share of the context window.${way}]`;
  return renderEnds(text, ends, note);
}
