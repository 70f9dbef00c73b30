import { z } from "zod";
import { type StoredMessage, toStored } from "../../context/conversation.ts";
import { summarisedUpTo } from "../../engine/conversation.ts";
import { isObject, type Json } from "../../engine/json.ts";
import { quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { makeGuard } from "../../secrets/guard.ts";
import { defineTool, type PastConversation, type ReadConversation, type Surface } from "../surface.ts";
import {
  findPassages,
  maxRecallTokens,
  type Passage,
  passagesOf,
  readOn,
  renderPassage,
} from "./passages.ts";

/** The messages that the session itself stores. */
export const ownConversation: ReadConversation = async (session) => {
  const messages = (await session.messages()).map((value, index) => storedMessage(index + 1, value));
  return { messages, contextFrom: summarisedUpTo(await session.state()) + 1 };
};

/** A caller may store what it likes as a message; what is none is told as it is. */
function storedMessage(number: number, value: Json): StoredMessage {
  const { message, at } = isObject(value) ? value : {};
  if (isObject(message) && (typeof message.content === "string" || Array.isArray(message.content)))
    return { ...toStored(number, value), at: typeof at === "number" ? at : 0 };
  const content = typeof value === "string" ? value : JSON.stringify(value);
  return { number, message: { role: "user", content }, at: 0 };
}

/** A conversation is searched several times before it changes. */
const known = new WeakMap<PastConversation, { all: Passage[]; gone: Passage[] }>();

function searchable(
  conversation: PastConversation,
  hide: (text: string) => string,
): { all: Passage[]; gone: Passage[] } {
  const before = known.get(conversation);
  if (before) return before;
  const all = passagesOf(conversation.messages, hide);
  const gone = all.filter(({ from }) => Number.parseInt(from, 10) < conversation.contextFrom);
  // Where nothing has left the context, its cut results and cleared results may still be looked for.
  const made = { all, gone: gone.length > 0 ? gone : all };
  known.set(conversation, made);
  return made;
}

const recall = defineTool({
  name: "recall",
  description:
    "Search the conversation that was compacted away. Look here before you ask the user again or repeat work.",
  input: z.strictObject({
    query: z.string().min(1).optional().describe("Words to look for"),
    from: z.coerce.string().optional().describe("A passage's number, to read on from it"),
  }),
  output: z.object({
    passages: z.array(z.object({ from: z.string(), who: z.string(), at: z.number(), text: z.string() })),
    message: z.string(),
  }),
  readOnly: true,
  idempotent: true,
  async run(call, { query, from: given }) {
    const from = numberIn(given);
    const { session, countTokens, guard = makeGuard(), room = maxRecallTokens } = call;
    if (query === undefined && from === undefined)
      throw new HoldfastError(
        "invalid_input",
        `recall needs "query" (words to look for) or "from" (a number such as "12.1").`,
      );
    const read = call.conversation ?? ownConversation;
    const conversation = (await read(session)) ?? { messages: [], contextFrom: 1 };
    const { all, gone } = searchable(conversation, (text) => guard.hide(text));
    const tokens = Math.min(maxRecallTokens, room) - messageTokens;
    const answer =
      from === undefined
        ? search(query ?? "", gone, tokens, countTokens)
        : page(from, all, tokens, countTokens);
    return answer;
  },
  text: ({ passages, message }) => [...passages.map(renderPassage), message].join("\n\n"),
});

/** The number as it was printed, or without its brackets; models fill in fields that they do not need. */
function numberIn(given: string | undefined): string | undefined {
  const number = (given ?? "").replaceAll(/[[\]\s]/g, "");
  return /^(?:|null|undefined|0)$/.test(number) ? undefined : number;
}

/** Tokens of the sentence below the passages. */
const messageTokens = 40;

function search(
  query: string,
  passages: readonly Passage[],
  tokens: number,
  countTokens: (text: string) => number,
) {
  const found = findPassages(query, passages, tokens, countTokens);
  if (passages.length === 0) return { passages: [], message: "This session has no conversation to search." };
  if (found.length === 0)
    return { passages: [], message: "Nothing in the removed conversation has these words. Try other words." };
  return {
    passages: found,
    message: `To read on from a passage, call recall with its number, such as {"from": "${found[0]?.from}"}.`,
  };
}

function page(
  from: string,
  passages: readonly Passage[],
  tokens: number,
  countTokens: (text: string) => number,
) {
  const read = readOn(from.trim(), passages, tokens, countTokens);
  if (!read)
    throw new HoldfastError(
      "not_found",
      `There is no passage ${quote(from)}. The numbers go from ${passages[0]?.from ?? "none"} to ${passages.at(-1)?.from ?? "none"}. Call recall with "query" to find one.`,
      { data: { from } },
    );
  const message =
    read.next === undefined
      ? "This is the end of the conversation."
      : `To read on, call recall with {"from": "${read.next}"}.`;
  return { passages: read.passages, message };
}

/** Reads back what left the context: the messages that the session stores, or those of its host. */
export const recallSurface: Surface = { name: "recall", tools: [recall], guidance: () => "" };
