import { estimateTokens } from "../context/estimate-tokens.ts";
import { isObject } from "../engine/json.ts";
import type { HashedPiece } from "../sessions/call-log.ts";
import type { HostCall, HostConversation, HostMessage, HostSessions } from "./host-sessions.ts";
import type { ModelCall } from "./ledger.ts";
import { textOfStored, viewMessage } from "./messages.ts";
import { costOfCall, type PriceOf } from "./money.ts";

type Parts = ModelCall["parts"];

/** The model calls of a host's transcript. The provider's count is exact; how it divides into parts is an estimate. */
export function hostCalls(conversation: HostConversation | undefined, priceOf: PriceOf): ModelCall[] {
  return (conversation?.calls ?? []).map((call, index) =>
    viewHostCall(call, index + 1, partsOf(piecesOf(conversation, call), call), priceOf),
  );
}

/** One call with what it was sent; undefined when the transcript has no such call. */
export function hostCall(
  conversation: HostConversation | undefined,
  number: number,
  priceOf: PriceOf,
): { view: ModelCall; pieces: HashedPiece[] } | undefined {
  const call = conversation?.calls[number - 1];
  if (!call) return undefined;
  const pieces = piecesOf(conversation, call);
  const parts = partsOf(pieces, call);
  const unseen: HashedPiece = {
    part: "system",
    role: "system",
    hash: `call-${number}-system`,
    tokens: parts.system,
    text: "The host's system prompt, its tools and what it adds to messages. Its transcript does not contain them; this is the provider's count less the estimate of the messages.",
  };
  return {
    view: viewHostCall(call, number, parts, priceOf),
    pieces: parts.system > 0 ? [unseen, ...pieces] : pieces,
  };
}

/** The full text of a piece. */
export async function hostPiece(
  sessionId: string,
  hash: string,
  hosts: HostSessions,
): Promise<string | undefined> {
  const [, number] = /^message-(\d+)$/.exec(hash) ?? [];
  if (number === undefined) return undefined;
  const conversation = await hosts.conversation(sessionId);
  const found = conversation?.messages.find((message) => message.number === Number(number));
  return found && messageText(found);
}

function viewHostCall(
  { at, model, usage, contextWindow, compactions }: HostCall,
  number: number,
  parts: Parts,
  priceOf: PriceOf,
): ModelCall {
  const facts = { model, parts, usage, contextWindow };
  return {
    number,
    at,
    ...facts,
    purpose: "turn",
    epoch: compactions + 1,
    revision: 0,
    source: "transcript",
    money: costOfCall(facts, priceOf),
  };
}

function piecesOf(
  conversation: HostConversation | undefined,
  { from, to, compactions }: HostCall,
): HashedPiece[] {
  const summary = conversation?.compactions[compactions - 1]?.summary ?? "";
  return [
    ...(summary === ""
      ? []
      : [
          {
            part: "summaries",
            role: "user",
            hash: `summary-${compactions}`,
            tokens: tokensIn(summary),
            text: summary,
          },
        ]),
    ...(conversation?.messages ?? []).slice(from - 1, to).map(pieceOf),
  ];
}

function pieceOf(message: HostMessage): HashedPiece {
  const { number, stored } = message;
  const { role } = viewMessage(number, stored, () => "whole", 0);
  return {
    part: role === "tool" ? "results" : "history",
    role,
    hash: `message-${number}`,
    tokens: tokensIn(textOfStored(stored)),
    text: messageText(message),
  };
}

/** The message itself, as the ledger's pieces contain it. */
function messageText({ stored }: HostMessage): string {
  return JSON.stringify(isObject(stored) ? stored.message : stored);
}

/** Parts that add up to the provider's count: what the transcript does not contain is the system prompt and tools. */
function partsOf(pieces: readonly HashedPiece[], { usage, contextWindow }: HostCall): Parts {
  const sums = { summaries: 0, history: 0, results: 0 };
  for (const { part, tokens } of pieces) sums[part as keyof typeof sums] += tokens;
  const estimate = sums.summaries + sums.history + sums.results;
  const scale = estimate > usage.input ? usage.input / estimate : 1;
  const summaries = Math.floor(sums.summaries * scale);
  const history = Math.floor(sums.history * scale);
  const results = Math.floor(sums.results * scale);
  return {
    system: usage.input - summaries - history - results,
    tools: 0,
    memory: 0,
    summaries,
    history,
    results,
    free: Math.max(0, contextWindow - usage.input),
  };
}

const counted = new Map<string, number>();
const maxCounted = 20_000;

/** Cached: the same messages are part of call after call. */
function tokensIn(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  if (counted.size >= maxCounted) counted.clear();
  const tokens = Math.round(estimateTokens(text));
  counted.set(text, tokens);
  return tokens;
}
