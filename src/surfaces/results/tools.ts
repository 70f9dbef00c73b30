import { z } from "zod";
import { messageOfPart, partKey } from "../../context/conversation.ts";
import { fittingLength, splitsPair } from "../../context/excerpt.ts";
import { fenceContent } from "../../context/fence.ts";
import type { Json } from "../../engine/json.ts";
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

/** Clears tool results from the context, and reads them back. */
export const resultsSurface: Surface = {
  name: "results",
  tools: [clearResult, recallResult],
  guidance: (_limits, { keepsConversation }) =>
    keepsConversation
      ? "Context is a budget for reasoning, plans, the user's words and quoted code, not for tool output you have noted. After a long result, note what you found and call clear_result; recall_result brings it back."
      : "recall_result reads the tool results that this session has stored.",
};
