import { readFileSync } from "node:fs";
import { join } from "node:path";
import { likelihoodOf } from "../../src/compaction/rules/is-rule.ts";
import { ownSentences } from "../../src/compaction/rules/own-words.ts";

/** Rules that a user told, each in a message, and what the user said later. */
export interface Conversation {
  rules: readonly string[];
  later: readonly Later[];
}

interface Later {
  message: string;
  /** The rule that it changes or lifts. */
  replaces: number | null;
  /** The sentence of the message that does so. */
  says: string;
}

/** Messages of a user; fragments of the rule that holds at the end, and of the one that no longer does. */
interface Told {
  /** The last message changes or lifts the rule in the first; the same in one message; or it leaves the rule as it is. */
  kind: "correction" | "same message" | "unrelated";
  messages: readonly string[];
  keep: readonly string[];
  gone: readonly string[];
}

/** The conversations of `sessions.jsonl`, and the shorter ones of `corrections.jsonl`. */
export function readConversations(): Conversation[] {
  const told = readLines<Told>("corrections.jsonl");
  return [
    ...readLines<Conversation>("sessions.jsonl"),
    ...told.flatMap((each) => conversationOf(each) ?? []),
  ];
}

function readLines<Line>(name: string): Line[] {
  const lines = readFileSync(join(import.meta.dirname, name), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Line);
}

function conversationOf({ kind, messages, keep, gone }: Told): Conversation | undefined {
  const [first = "", ...rest] = messages;
  const leaves = (message: string): Later => ({ message, replaces: null, says: "" });
  if (kind === "unrelated") return { rules: [first], later: rest.map(leaves) };
  const last = rest.at(-1) ?? "";
  const says = keep.length === 0 ? ownSentences(last)[0] : sentenceWith(last, keep);
  if (kind !== "correction" || says === undefined || sentenceWith(first, gone) === undefined)
    return undefined;
  return {
    rules: [first],
    later: [...rest.slice(0, -1).map(leaves), { message: last, replaces: 0, says }],
  };
}

/** The sentence of a message that states its rule: the likeliest. */
export function ruleIn(message: string): string {
  const sentences = ownSentences(message).map((text) => ({ text, likelihood: likelihoodOf(text) }));
  return sentences.sort((a, b) => b.likelihood - a.likelihood)[0]?.text ?? message;
}

/** The sentence of a message that contains the first of the fragments. */
function sentenceWith(message: string, [fragment = ""]: readonly string[]): string | undefined {
  const wanted = plainly(fragment).replace(/[.!?,;]+$/, "");
  return wanted === ""
    ? undefined
    : ownSentences(message).find((sentence) => plainly(sentence).includes(wanted));
}

function plainly(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ");
}
