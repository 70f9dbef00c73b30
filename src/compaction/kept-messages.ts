import { plainTextOf, type StoredMessage } from "../context/conversation.ts";
import { nameFinder } from "./need/later-use.ts";

/** What stays in the context of the messages since the last summary. It need not be said again. */
export interface KeptMessages {
  /** The last message to remove; those after it stay. */
  to: number;
  /** Messages up to that one that stay as well. */
  among?: ReadonlySet<number>;
  /** Some of the newest messages may stay; the driver cannot know. */
  mayKeepTail?: boolean;
}

export function isKept({ to, among }: KeptMessages, { number }: StoredMessage): boolean {
  return number > to || (among?.has(number) ?? false);
}

/** Of a conversation whose tail may stay: the share, at most these characters, that counts as that tail. */
const tailShare = 0.25;
const tailCharacters = 80_000;

/** What a name in such a tail is worth. Found by trying, so that a checkpoint is good whether or not the tail stays. */
const tailWorth = 0.5;

/** The scores of names if the host may keep the newest messages: what is in them may be there already. */
export function discountTail(
  scores: ReadonlyMap<string, number>,
  messages: readonly StoredMessage[],
): ReadonlyMap<string, number> {
  const texts = messages.map(({ message }) => plainTextOf(message));
  const whole = texts.reduce((sum, text) => sum + text.length, 0);
  const most = Math.min(tailCharacters, whole * tailShare);
  const find = nameFinder();
  const discounted = new Map(scores);
  let tail = 0;
  for (let index = texts.length - 1; index >= 0 && tail < most; index--) {
    const text = texts[index] ?? "";
    tail += text.length;
    for (const name of find(text)) {
      const score = scores.get(name);
      if (score !== undefined) discounted.set(name, score * tailWorth);
    }
  }
  return discounted;
}
