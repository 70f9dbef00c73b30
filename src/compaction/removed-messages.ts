import { plainTextOf, type StoredMessage } from "../context/conversation.ts";
import type { RemovedMessage } from "../engine/records.ts";
import { oneLine } from "../engine/text.ts";

/** Of a longer conversation only a part is counted, in pieces from all of it: the figure is for people. */
const maxCounted = 60_000;

export function countConversation(
  messages: readonly StoredMessage[],
  countTokens: (text: string) => number,
): number {
  const texts = messages.map(({ message }) => plainTextOf(message));
  const length = texts.reduce((sum, text) => sum + text.length + 1, 0);
  const share = Math.min(1, maxCounted / length);
  const counted = texts.map((text) => text.slice(0, Math.ceil(text.length * share))).join("\n");
  return Math.round(countTokens(counted) * Math.max(1, length / Math.max(1, counted.length)));
}

const maxPreviews = 300;
const previewLength = 100;

export function previewsOf(messages: readonly StoredMessage[]): RemovedMessage[] {
  return messages.slice(-maxPreviews).map(({ number, message }) => ({
    number,
    role: message.role,
    // Stores reject NUL and lone surrogates; a cut may make one.
    line: oneLine(
      plainTextOf(message)
        .slice(0, 4 * previewLength)
        .replaceAll("\0", "\ufffd")
        .toWellFormed(),
      previewLength,
    ),
  }));
}
