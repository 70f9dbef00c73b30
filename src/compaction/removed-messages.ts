import { plainTextOf, type StoredMessage } from "../context/conversation.ts";
import type { RemovedMessage } from "../engine/records.ts";
import { oneLine } from "../engine/text.ts";

/** Of a longer conversation only pieces are counted, evenly spaced: the figure is for people. */
const maxCounted = 15_000;
const pieces = 60;

export function countConversation(
  messages: readonly StoredMessage[],
  countTokens: (text: string) => number,
): number {
  const texts = messages.map(({ message }) => plainTextOf(message));
  const length = texts.reduce((sum, text) => sum + text.length + 1, 0);
  if (length <= maxCounted) return countTokens(texts.join("\n"));
  const counted = samplesOf(texts, length / pieces).join("\n");
  return Math.round(countTokens(counted) * (length / counted.length));
}

/** A piece of text at every `step` characters. */
function samplesOf(texts: readonly string[], step: number): string[] {
  const samples: string[] = [];
  let end = 0;
  for (const text of texts) {
    const start = end;
    end += text.length + 1;
    for (let at = samples.length * step; at < end; at = samples.length * step)
      samples.push(text.slice(Math.floor(at - start), Math.floor(at - start) + maxCounted / pieces));
  }
  return samples;
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
