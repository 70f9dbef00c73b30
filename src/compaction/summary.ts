import {
  type StoredMessage,
  spokenText,
  textOf,
  toolCallsOf,
  toolResultsOf,
} from "../context/conversation.ts";

export const warningText = `[System] Context is approaching the token limit and will be compacted after your next response.
Review your session notepad and update it with any working state, findings, or progress you
need to preserve. Conversation details may be summarized during compaction, but the notepad
is kept in full.`;

/** Stands where the new epoch begins: memory as the model is shown it holds everything that was written before. */
export const compactedText =
  "[System] The conversation was compacted here, and your memory is shown as of here. Go on with what was asked.";

/** Stands where changes were folded into a fresh snapshot, for the same reason. */
export const foldedText = "[System] Your memory is shown as of here.";

/** Said where a prompt would otherwise end with the agent's answer to the warning. */
export const goOnText = "[System] Go on with what was asked.";

export const summaryInstructions = `You write the summary that will stand in place of the older part of a conversation between a user and an agent. The agent continues from your summary alone, so write what it needs to go on.
Carry the earlier summary forward. Keep every open request of the user word for word. Keep decisions and their reasons, what was tried and failed, exact file paths, identifiers, numbers and names. Say what is finished so that it is not done again. Leave out pleasantries and raw tool output. Do not invent anything. Answer with the summary only.`;

/**
 * The last message to go: the newest ones stay within a budget, and a result is never parted from its call. The
 * newest exchange stays as long as it takes no more than `most`, whatever the budget: the model has yet to answer it.
 */
export function planCut(
  messages: readonly StoredMessage[],
  keepTokens: number,
  countTokens: (message: StoredMessage) => number,
  most = 0,
): number | undefined {
  let newest = messages.length - 1;
  while (newest > 0 && (messages[newest]?.aside || messages[newest]?.message.role === "tool")) newest--;
  let kept = 0;
  let cut = messages.length;
  while (cut > 0) {
    kept += countTokens(messages[cut - 1] as StoredMessage);
    if (kept > (cut > newest ? Math.max(keepTokens, most) : keepTokens)) break;
    cut--;
  }
  while (cut < messages.length && messages[cut]?.message.role === "tool") cut++;
  return cut === 0 ? undefined : messages[cut - 1]?.number;
}

/** Why a summary cannot stand in for what it replaces; undefined when it can. */
export function findSummaryFault(
  summary: string,
  asks: readonly string[],
  tokens: { summary: number; removed: number },
): string | undefined {
  if (summary.trim() === "") return "it is empty";
  if (tokens.summary >= tokens.removed) return "it is longer than what it replaces";
  const lost = asks.find((ask) => !carries(summary, ask));
  return lost === undefined
    ? undefined
    : `it lost the user's open request: ${lost.slice(0, 500).toWellFormed()}`;
}

/** A request counts as carried when at least half of its telling words are there; of a short one every word tells. */
function carries(summary: string, ask: string): boolean {
  const all = wordsOf(ask);
  const long = all.filter((word) => word.length >= 4 || /\p{N}/u.test(word));
  const words = (long.length >= 3 ? long : all).slice(0, 40);
  if (words.length === 1 && long.length === 0) return true;
  const said = new Set(wordsOf(summary));
  const text = summary.toLowerCase();
  const isSaid = (word: string) => said.has(word) || (word.length >= 4 && text.includes(word));
  return words.filter(isSaid).length >= words.length * 0.5;
}

/** Each once; where a script has no spaces between words, every two neighbouring characters. */
function wordsOf(text: string): string[] {
  const words =
    text.toLowerCase().match(/[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}_./-]*[\p{L}\p{M}\p{N}])?/gu) ?? [];
  return [...new Set(words.flatMap((word) => (unspaced.test(word) ? pairsOf(word) : [word])))];
}

const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

function pairsOf(word: string): string[] {
  const characters = [...word];
  if (characters.length < 2) return [word];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** A summary without a model: what was asked, what was done, what was said, newest kept longest. */
export function deterministicSummary(
  earlier: string,
  removed: readonly StoredMessage[],
  budget: number,
  countTokens: (text: string) => number,
): string {
  const lines: string[] = [];
  let tokens = 0;
  for (const stored of removed.toReversed()) {
    const line = describe(stored);
    if (line === "") continue;
    tokens += countTokens(line) + 1;
    if (tokens > budget && lines.length > 0) {
      lines.push("… (older messages can be recalled)");
      break;
    }
    lines.push(line);
  }
  const carried = earlier === "" ? [] : [`Earlier: ${clip(earlier, budget * 2)}`];
  return [...carried, ...lines.reverse()].join("\n");
}

function describe(stored: StoredMessage): string {
  const { message } = stored;
  if (message.role === "user") return `The user said: ${clip(spokenText(message), 600)}`;
  if (message.role === "tool") {
    return toolResultsOf(stored)
      .filter(({ isError }) => isError)
      .map(({ tool, text }) => `${tool} failed: ${clip(text, 120)}`)
      .join("\n");
  }
  const calls = toolCallsOf(stored).map(
    ({ tool, input }) => `${tool} ${clip(JSON.stringify(input) ?? "", 100)}`,
  );
  const said = clip(spokenText(message), 300);
  return [
    said === "" ? "" : `The agent said: ${said}`,
    calls.length > 0 ? `The agent called ${calls.join(", ")}` : "",
  ]
    .filter(Boolean)
    .join("\n");
}

function clip(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, Math.max(0, most)).toWellFormed()}…` : line;
}

/** The removed messages as the summariser reads them; long results are shortened. */
export function transcriptOf(removed: readonly StoredMessage[], mostPerMessage = 4_000): string {
  return removed
    .map(({ message }) => {
      const text = textOf(message);
      return `${message.role}: ${text.length > mostPerMessage ? `${text.slice(0, mostPerMessage).toWellFormed()} … (${text.length - mostPerMessage} more characters)` : text}`;
    })
    .join("\n\n");
}
