import type { TestContext } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { startEventServer } from "../../test-support/json-server.ts";

export interface Block {
  type: "text" | "tool_use" | "compaction";
  text?: string;
  input?: unknown;
  content?: string | null;
  [field: string]: unknown;
}

export interface ScriptedMessage {
  content: Block[];
  stop_reason: string;
}

/** The real client, against a server that streams the Messages API's events for each answer of a script. */
export async function startMessagesStream(t: TestContext, answers: readonly ScriptedMessage[]) {
  const server = await startEventServer(t, (_, number) => {
    const answer = answers[number];
    return answer && eventsOf(answer, number);
  });
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  return { client, requests: server.requests };
}

function eventsOf(answer: ScriptedMessage, number: number): { type: string }[] {
  const message = {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: "a-model",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  const start = { type: "message_start", message };
  const blocks = answer.content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: opening(block) },
    { type: "ping" },
    ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  const delta = { stop_reason: answer.stop_reason, stop_sequence: null };
  return [
    start,
    ...blocks,
    { type: "message_delta", delta, usage: { output_tokens: 5 } } as { type: string },
    { type: "message_stop" },
  ];
}

function opening(block: Block): object {
  if (block.type === "text") return { ...block, text: "" };
  return block.type === "tool_use" ? { ...block, input: {} } : { type: block.type, content: null };
}

/** A compaction comes whole; text and calls come in two parts. */
function deltasOf({ type, text = "", input, ...rest }: Block): object[] {
  if (type === "compaction") return [{ ...rest, type: "compaction_delta" }];
  const [kind, field, whole] =
    type === "text"
      ? (["text_delta", "text", text] as const)
      : (["input_json_delta", "partial_json", JSON.stringify(input)] as const);
  const half = Math.ceil(whole.length / 2);
  return [whole.slice(0, half), whole.slice(half)].map((part) => ({ type: kind, [field]: part }));
}
