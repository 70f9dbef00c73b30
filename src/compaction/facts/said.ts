import { type StoredMessage, spokenText } from "../../context/conversation.ts";
import { contentOf } from "./content.ts";
import { ownSentences } from "./own-words.ts";

/** Verbs of a sentence that says how something is, in several languages. */
const stating =
  /\b(?:is|are|was|were|isn't|aren't|has|have|had|uses?|lives?|runs?|belongs?|listens?|means|equals?|contains?|costs?|becomes?|became|moved|changed|renamed|called|named|ist|sind|hat|haben|liegt|heißt|est|sont|es|son|está|están|tiene)\b|是|在|有/i;

/** Asks for something: what is asked is kept elsewhere until it is answered. */
const asking =
  /[?？]\s*$|^(?:please|pls|can|could|would|will|let's|let us)\b|\b(?:can you|could you|would you|will you|i want you|i'd like you|i need you)\b/i;

const [minLength, maxLength] = [12, 300];

/** Statements that a checkpoint remembers. */
const maxSaid = 40;

export interface SaidInput {
  /** The messages since the last summary, in order. */
  messages: readonly StoredMessage[];
  /** The last message that is removed: what the user stated after it stays in context. */
  to: number;
  /** What the user stated before these messages. */
  earlier?: readonly string[] | undefined;
}

/**
 * Finds what the user stated, oldest first, such as "the port of api-2 is 8080": a sentence that says how something is,
 * with a value or a name in it.
 */
export function saidFacts({ messages, to, earlier = [] }: SaidInput): string[] {
  const spoken = messages
    .filter(({ number, message, aside }) => message.role === "user" && !aside && number <= to)
    .flatMap(({ message }) => ownSentences(spokenText(message)))
    .filter(isStatement);
  // What is said again moves to the end.
  const newestFirst = new Set([...earlier, ...spoken].reverse());
  return [...newestFirst].slice(0, maxSaid).reverse();
}

function isStatement(sentence: string): boolean {
  const { length } = sentence;
  if (length < minLength || length > maxLength || !stating.test(sentence) || asking.test(sentence))
    return false;
  return contentOf(sentence).values.size > 0;
}

/** The statements that memory does not say itself: what the agent has written down is shown, and edited, there. */
export function notWritten(texts: readonly string[], memory: string): string[] {
  const lines = memory.split("\n").map(contentOf);
  return texts.filter((text) => {
    const { words, values } = contentOf(text);
    return !lines.some(
      (line) =>
        values.isSubsetOf(line.values) &&
        [...words].filter((word) => line.words.has(word)).length >= words.size / 2,
    );
  });
}
