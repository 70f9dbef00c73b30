import { isFinalAnswer, type StoredMessage, spokenText } from "../../context/conversation.ts";
import { oneLine } from "../../engine/text.ts";

/** Go-aheads: they ask for nothing that is not asked already. */
const goAhead =
  /^\W*(?:(?:please|ok(?:ay)?|yes|yep|yeah|sure|now|and|just)\W+)*(?:continue|go on|go ahead|proceed|carry on|keep going|resume|next|do it|yes|ok(?:ay)?|y|go|sure|thanks|thank you|weiter|mach weiter|sigue|continúa|continuez?|続けて|继续)\W*$/i;

/** The number or letter of one of the choices that the agent gave. */
const choice = /^\W*(?:option\s+)?(?:\d{1,2}|[a-z])\W*$/i;

/** A slash command of the host, such as "/compact" or "/model opus". */
const slashCommand = /^\s*\/[a-z][\w:-]*(?:\s+\S{1,40})?\s*$/i;

/** A message of the host in the user's place, such as the end of a background task. */
const notification = /^<(?:[a-z]+-)*notification>/;

function isAsk(text: string): boolean {
  return (
    text !== "" &&
    !goAhead.test(text) &&
    !choice.test(text) &&
    !slashCommand.test(text) &&
    !notification.test(text) &&
    !/^\[Request interrupted/.test(text)
  );
}

/**
 * The user's requests since the assistant's last final answer, up to message `to`, newest first. Without an answer since
 * the last compaction, the requests that were open then are still open.
 */
export function openAsks(
  messages: readonly StoredMessage[],
  to = Number.POSITIVE_INFINITY,
  earlier: readonly string[] = [],
): string[] {
  const asks: string[] = [];
  for (const stored of messages.toReversed()) {
    const text = spokenText(stored.message).trim();
    if (text === "") continue;
    if (isFinalAnswer(stored)) return [...new Set(asks)];
    if (stored.message.role === "user" && stored.number <= to && isAsk(text)) asks.push(text);
  }
  return [...new Set([...asks, ...earlier])];
}

/** How an agent says that it chose something or found a cause. */
const deciding =
  /\b(?:decided|decision|chose|choosing|going with|go with|instead of|rather than|switch(?:ed|ing) to|opted|root cause|turns out|the (?:real |actual )?(?:fix|problem|issue|bug|cause) (?:is|was)|must not|won't|will not|because)\b/i;

const maxDecisions = 12;

/** Sentences in which the agent stated a decision or a cause, newest first. */
export function statedDecisions(
  messages: readonly StoredMessage[],
  earlier: readonly string[] = [],
): string[] {
  const found: string[] = [];
  for (const stored of messages.toReversed()) {
    if (stored.message.role !== "assistant" || stored.aside) continue;
    if (found.length >= maxDecisions) break;
    const text = spokenText(stored.message);
    // Most messages decide nothing, and splitting them into sentences takes longer than this.
    if (!deciding.test(text)) continue;
    found.push(
      ...sentencesOf(text)
        .filter((sentence) => deciding.test(sentence))
        .reverse(),
    );
  }
  return [...new Set([...found, ...earlier])].slice(0, maxDecisions);
}

function sentencesOf(text: string): string[] {
  return (
    text
      .slice(0, 20_000)
      .split(/\n+|(?<=[.!?。])\s+/)
      .map((sentence) => oneLine(sentence.replace(/^[\s#>*\-\d.)]+/, "").replaceAll("**", "")))
      // A question or the heading of a list decides nothing.
      .filter((sentence) => sentence.length >= 24 && sentence.length <= 220 && !/[?:]$/.test(sentence))
  );
}
