import { isFinalAnswer, type StoredMessage, spokenText, toolCallsOf } from "../../context/conversation.ts";
import { oneLine } from "../../engine/text.ts";

/** Go-aheads: they ask for nothing that is not asked already. */
const goAhead =
  /^\W*(?:(?:please|ok(?:ay)?|yes|yep|yeah|sure|now|and|just|great|good|perfect|alright|then)\W+)*(?:continue|go on|go ahead|proceed|carry on|keep (?:going|at it|working)|resume|next|do (?:it|that|so|this)|yes|ok(?:ay)?|y|go|sure|please do|sounds good|lgtm|thanks|thank you|weiter|mach weiter|sigue|continúa|continuez?|続けて|继续)(?:\W+(?:from (?:where|there|here)\b[^.!?\n]{0,30}|with (?:it|that|this|the rest|the work)|please|now|then|thanks))*\W*$/i;

/** The number or letter of one of the choices that the agent gave. */
const choice = /^\W*(?:option\s+)?(?:\d{1,2}|[a-z])\W*$/i;

/** A slash command of the host, such as "/compact" or "/fix-issue 12 soon"; not a sentence that begins with a folder. */
const slashCommand =
  /^\/(?!(?:tmp|etc|var|usr|home|opt|dev|bin|lib|mnt|srv|proc|root|src|app|data) )[a-z][\w:-]*(?:[ \t][^\n]{0,200})?$/i;

/** The output of a slash command, in the user's place. */
const commandOutput = /^<([a-z]+(?:-[a-z]+)+)>.*<\/[a-z-]+>$/s;

/** Whether a host reports something in the user's place, such as the end of a background task: that is not the user's. */
function isReport(text: string): boolean {
  return /^\s*<(?:[a-z]+-)*notification>/.test(text);
}

function isAsk(text: string): boolean {
  return (
    text !== "" &&
    !goAhead.test(text) &&
    !choice.test(text) &&
    !slashCommand.test(text) &&
    !isReport(text) &&
    !commandOutput.test(text) &&
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
  let next: StoredMessage | undefined;
  for (const stored of messages.toReversed()) {
    const following = next;
    next = stored;
    // Most messages are results, in which nobody speaks.
    const text = stored.message.role === "tool" ? "" : spokenText(stored.message).trim();
    if (text === "") continue;
    if (isFinalAnswer(stored) && !goesOn(following)) return [...new Set(asks)];
    if (stored.message.role === "user" && stored.number <= to && isAsk(text)) asks.push(text);
  }
  return [...new Set([...asks, ...earlier])];
}

/** A host may record what the agent says and the calls that follow as two messages. */
function goesOn(following: StoredMessage | undefined): boolean {
  return following?.message.role === "assistant" && toolCallsOf(following).length > 0;
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
