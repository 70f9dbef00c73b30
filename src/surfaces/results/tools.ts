import { z } from "zod";
import { messageOfPart, partKey } from "../../context/conversation.ts";
import { fittingLength, splitsPair } from "../../context/excerpt.ts";
import { fenceContent } from "../../context/fence.ts";
import type { Json } from "../../engine/json.ts";
import { lowerCase, rankPassages } from "../../engine/rank.ts";
import { oneLine, quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import type { SessionHandle } from "../session-handle.ts";
import { type Call, defineTool, type Surface } from "../surface.ts";

const offset = z.int().min(0).optional().describe("Characters to skip, to continue where an answer was cut");

const id = z.string().min(1).describe("The result's number, such as r14_1, or the id of its tool call");

const clearResult = defineTool({
  name: "clear_result",
  description: "Replace a tool result you have worked into your notes with one line. You can recall it.",
  input: z.strictObject({
    id,
    summary: z.string().min(1).describe("What it contained, in one line"),
  }),
  output: z.object({ ok: z.literal(true), message: z.string() }),
  idempotent: true,
  run: async ({ session, options }, { id, summary }) => {
    const { key, message, tool } = await findResult(session, id);
    const stub = { id: key, message, tool, summary: fenceContent(oneLine(summary)) };
    await session.apply({ type: "context.clear", results: [stub] }, options);
    return {
      ok: true as const,
      message: `Cleared. Call recall_result with id ${JSON.stringify(key)} to read it again.`,
    };
  },
});

const recallResult = defineTool({
  name: "recall_result",
  description: "Read a cleared or compacted tool result again, whole or from one line to another.",
  input: z.strictObject({
    id,
    range: z.string().optional().describe("Lines from 1, such as 10-40, 10- or 10"),
    offset,
  }),
  output: z.object({ content: z.string(), lines: z.number(), message: z.string().optional() }),
  readOnly: true,
  idempotent: true,
  run: async (call, { id, range, offset: skip = 0 }) => {
    const { text } = await findResult(call.session, id);
    const lines = text.split("\n");
    const [from, to] = range === undefined ? [1, lines.length] : readRange(range, lines.length);
    return {
      ...page(lines.slice(from - 1, to).join("\n"), skip, "recall_result", call),
      lines: lines.length,
    };
  },
});

/** First and last line; a range may end beyond the text. */
function readRange(range: string, lines: number): [from: number, to: number] {
  const match = /^(\d{1,9})(?:\s*(-|\.\.|:|to)(?:\s*(\d{1,9}))?)?$/.exec(range.trim());
  const from = Number(match?.[1] ?? 0);
  const to = match?.[3] === undefined ? (match?.[2] === undefined ? from : lines) : Number(match[3]);
  if (from >= 1 && from <= Math.min(to, lines)) return [from, to];
  throw new HoldfastError(
    "invalid_input",
    `There are no lines ${quote(range)}: the result has lines 1 to ${lines}. Give "range" as 10-40, 10- or 10.`,
    { data: { range, lines } },
  );
}

const recall = defineTool({
  name: "recall",
  description:
    "Read earlier messages that were compacted away: by number, or by searching for a text or its words.",
  input: z.strictObject({
    message: z.int().min(1).optional().describe("A message's number"),
    query: z.string().min(1).optional().describe("Text to look for"),
    offset,
  }),
  output: z.object({
    content: z.string(),
    matches: z.array(z.object({ message: z.number(), excerpt: z.string() })).optional(),
    message: z.string().optional(),
  }),
  readOnly: true,
  idempotent: true,
  run: async (call, { message, query, offset: skip = 0 }) => {
    const { session } = call;
    if (message !== undefined)
      return page(messageText(await oneMessage(session, message)), skip, "recall", call);
    if (query !== undefined) return search(session, query);
    throw new HoldfastError("invalid_input", `recall needs "message" (a number) or "query" (a text).`);
  },
});

async function oneMessage(session: SessionHandle, number: number): Promise<Json> {
  const [found] = await session.messages(number, number);
  if (found !== undefined) return found;
  const { row } = await session.state();
  throw new HoldfastError(
    "not_found",
    `There is no message ${number}; the last one is ${row.counters.lastMessage}.`,
    { data: { message: number } },
  );
}

/** Max messages in the answer to a search. */
const maxMatches = 20;
const excerptLength = 240;

/** The messages that contain the text, newest first. If none does, those that share its words, best first. */
async function search(session: SessionHandle, query: string) {
  const texts = (await session.messages()).map((message) => messageText(message, isNotRecall));
  const needle = lowerCase(query);
  const containing = texts.flatMap((text, index) => {
    const at = lowerCase(text).indexOf(needle);
    const excerpt = text.slice(Math.max(0, at - 100), at + query.length + 100).toWellFormed();
    return at === -1 ? [] : [{ message: index + 1, excerpt }];
  });
  const ranked = containing.length > 0 ? [] : rankPassages(query, texts);
  const total = containing.length + ranked.length;
  const matches = [
    ...containing.reverse().slice(0, maxMatches),
    ...ranked
      .slice(0, maxMatches)
      .map(({ index }) => ({ message: index + 1, excerpt: bestExcerpt(query, texts[index] ?? "") })),
  ];
  const lead = ranked.length > 0 ? "No message contains that text; these share its words. " : "";
  const more =
    total > matches.length
      ? ` These are the ${matches.length} ${ranked.length > 0 ? "best" : "newest"} of ${total} matches; use a longer query to narrow them down.`
      : "";
  return {
    content: "",
    matches,
    message:
      total === 0
        ? "No message contains that text."
        : `${lead}Call recall with a message number to read it in full.${more}`,
  };
}

/** The piece of a text that shares most with the query. */
function bestExcerpt(query: string, text: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += excerptLength) pieces.push(text.slice(at, at + excerptLength));
  return (pieces[rankPassages(query, pieces)[0]?.index ?? 0] ?? "").toWellFormed();
}

/** A message as text, whatever shape its content has. */
function messageText(value: Json, include: (part: Json) => boolean = () => true): string {
  const { message } = value as { message?: { role?: string; content?: Json } };
  const content = message?.content ?? value;
  if (typeof content === "string") return `${message?.role ?? ""}: ${content}`;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return `${message?.role ?? ""}: ${content.filter(include).map(partText).join("\n")}`;
}

/** Earlier searches and recalled texts also contain the query and would crowd out the original messages. */
function isNotRecall(part: Json): boolean {
  const { toolName } = part as { toolName?: string };
  return toolName !== recall.name && toolName !== recallResult.name;
}

function partText(part: Json): string {
  const { text, toolName, input, output } = part as {
    text?: string;
    toolName?: string;
    input?: Json;
    output?: { value?: Json };
  };
  if (text !== undefined) return text;
  if (output !== undefined)
    return typeof output.value === "string" ? output.value : JSON.stringify(output.value ?? output);
  return `${toolName ?? ""} ${JSON.stringify(input ?? part)}`;
}

interface FoundResult {
  key: string;
  message: number;
  tool: string;
  text: string;
}

/** Finds a result by its number, or by the id of its call if only one result has it. */
async function findResult(session: SessionHandle, id: string): Promise<FoundResult> {
  const number = messageOfPart(id);
  const known = number === undefined ? [] : resultsIn(number, await session.messages(number, number));
  const own = known.find(({ key }) => key === id);
  if (own) return own;
  const { row } = await session.state();
  const all = resultsIn(1, await session.messages(1, row.counters.lastMessage));
  const found = all.filter(({ callId }) => callId === id);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (only) {
    const newest = found.slice(-10).map(({ key, tool }) => `${key} (${tool})`);
    throw new HoldfastError(
      "invalid_input",
      `${found.length} tool results have the id ${quote(id)}. Call again with the number of the one you mean; the newest are ${newest.join(", ")}.`,
      { data: { id, numbers: found.slice(-10).map(({ key }) => key) } },
    );
  }
  throw new HoldfastError(
    "not_found",
    `There is no tool result with the id ${quote(id)}. The stubs and your tool calls show the ids.`,
    { data: { id } },
  );
}

function resultsIn(from: number, messages: readonly Json[]): (FoundResult & { callId: string })[] {
  return messages.flatMap((value, index) => {
    const { message } = value as { message?: { role?: string; content?: Json } };
    if (message?.role !== "tool" || !Array.isArray(message.content)) return [];
    return message.content.map((part, at) => {
      const { toolCallId = "", toolName = "" } = part as { toolCallId?: string; toolName?: string };
      return {
        key: partKey(from + index, at),
        callId: toolCallId,
        message: from + index,
        tool: toolName,
        text: partText(part),
      };
    });
  });
}

/** Max characters per answer; longer texts are read in pages. */
const pageCharacters = 12_000;

function page(
  text: string,
  skip: number,
  tool: string,
  { room = Number.POSITIVE_INFINITY, countTokens }: Pick<Call, "room" | "countTokens">,
): { content: string; message?: string } {
  const limit = Math.min(pageCharacters, text.length - skip);
  const length = fittingLength((to) => JSON.stringify(text.slice(skip, skip + to)), limit, room, countTokens);
  // However little room there is, a page must not be empty, or the text could never be read.
  const end = skip + Math.max(length, Math.min(limit, 200));
  const at = end - (splitsPair(text, end) ? 1 : 0);
  const content = text.slice(skip, at).toWellFormed();
  if (at >= text.length) return { content };
  return {
    content,
    message: `Characters ${skip} to ${at} of ${text.length}. For the rest call ${tool} again with offset: ${at}.`,
  };
}

/** Clears tool results from the context, and reads back what left it. */
export const resultsSurface: Surface = {
  name: "results",
  tools: [clearResult, recallResult, recall],
  guidance: (_limits, { keepsConversation }) =>
    keepsConversation
      ? "Old long tool results are replaced with one line; recall_result brings one back. recall reads messages that were compacted away. When you have worked a long result into your notes, call clear_result."
      : "recall and recall_result read the messages and tool results that this session has stored.",
};
