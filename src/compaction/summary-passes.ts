import { type StoredMessage, textOf } from "../context/conversation.ts";
import { chooseEnds, renderEnds } from "../context/excerpt.ts";

/** Tokens below which a result tells a summariser nothing. */
const leastResult = 120;

interface Entry {
  text: string;
  tokens: number;
  isResult: boolean;
}

/**
 * The messages to summarise as texts of at most `room` tokens each, one per request. Whatever the user and the agent said
 * is whole. Results are whole too if they fit; otherwise they share the room, and newer ones get more of it. If even
 * short results do not fit, the messages are divided.
 */
export function planPasses(
  removed: readonly StoredMessage[],
  room: number,
  countTokens: (text: string) => number,
): string[] {
  const entries = removed.map(({ message }): Entry => {
    const text = `${message.role}: ${textOf(message)}`;
    return { text, tokens: countTokens(text) + 1, isResult: message.role === "tool" };
  });
  const all = sum(entries);
  if (all <= room) return [join(entries)];
  const results = entries.filter(({ isResult }) => isResult);
  const spoken = all - sum(results);
  if (spoken + results.length * leastResult <= room)
    return [join(shareByAge(entries, room - spoken, countTokens))];
  return divide(
    entries.map((entry) => cutTo(entry, entry.isResult ? room / 8 : room, countTokens)),
    room,
  );
}

/** Gives newer results more of the room; what one does not need goes to the others. */
function shareByAge(entries: readonly Entry[], room: number, countTokens: (text: string) => number): Entry[] {
  const values = new Map(entries.map((entry, index) => [entry, 1 + (2 * index) / entries.length]));
  const shares = new Map<Entry, number>();
  let open = entries.filter(({ isResult }) => isResult);
  let left = room;
  for (;;) {
    const value = open.reduce((all, entry) => all + (values.get(entry) ?? 0), 0);
    const shareOf = (entry: Entry) => (left * (values.get(entry) ?? 0)) / value;
    const small = open.filter((entry) => entry.tokens <= shareOf(entry));
    if (small.length === 0) {
      for (const entry of open) shares.set(entry, shareOf(entry));
      break;
    }
    for (const entry of small) {
      shares.set(entry, entry.tokens);
      left -= entry.tokens;
    }
    open = open.filter((entry) => !small.includes(entry));
  }
  return entries.map((entry) => {
    const share = shares.get(entry);
    return share === undefined ? entry : cutTo(entry, share, countTokens);
  });
}

function cutTo(entry: Entry, room: number, countTokens: (text: string) => number): Entry {
  const noteTokens = 12;
  const ends = chooseEnds(entry.text, Math.max(0, room - noteTokens), countTokens);
  if (!ends) return entry;
  const note = `[… ${entry.text.length - ends.head - ends.tail} characters …]`;
  const text = renderEnds(entry.text, ends, note);
  return { ...entry, text, tokens: countTokens(text) + 1 };
}

function divide(entries: readonly Entry[], room: number): string[] {
  const passes: Entry[][] = [[]];
  let used = 0;
  for (const entry of entries) {
    if (used + entry.tokens > room && used > 0) {
      passes.push([]);
      used = 0;
    }
    passes.at(-1)?.push(entry);
    used += entry.tokens;
  }
  return passes.map(join);
}

function join(entries: readonly Entry[]): string {
  return entries.map(({ text }) => text).join("\n\n");
}

function sum(entries: readonly Entry[]): number {
  return entries.reduce((all, { tokens }) => all + tokens, 0);
}
