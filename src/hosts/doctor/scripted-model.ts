import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject } from "../../engine/json.ts";

/** A server on loopback that answers every model request with one short text, and records the requests. */
export interface ScriptedModel {
  /** Without a path. */
  url: string;
  /** The bodies of the model requests, in order. */
  bodies: string[];
  close(): Promise<void>;
}

const answer = "ok";

/** Supports Anthropic's Messages API, OpenAI's Responses and Chat Completions, and Gemini's generateContent. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString("utf8");
    const path = (request.url ?? "").split("?")[0] ?? "";
    const reply = replies.find(({ ending }) => path.endsWith(ending));
    if (!reply || request.method !== "POST")
      return sendJson(response, 404, { error: { message: "not found" } });
    bodies.push(body);
    const { model = "doctor", stream } = parse(body);
    if (stream === true || path.endsWith("streamGenerateContent"))
      sendEvents(response, reply.events(String(model)));
    else sendJson(response, 200, reply.whole(String(model)));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

interface Reply {
  ending: string;
  whole(model: string): object;
  /** Each with its event name, "" for none. */
  events(model: string): [string, object | string][];
}

const messageOf = (model: string) => ({
  id: "msg_doctor",
  type: "message",
  role: "assistant",
  model,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

const anthropic: Reply = {
  ending: "/v1/messages",
  whole: (model) => ({
    ...messageOf(model),
    content: [{ type: "text", text: answer }],
    stop_reason: "end_turn",
  }),
  events: (model) =>
    [
      { type: "message_start", message: { ...messageOf(model), content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: answer } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: 1 },
      },
      { type: "message_stop" },
    ].map((event) => [event.type, event]),
};

const item = {
  id: "item_doctor",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: answer, annotations: [] }],
};

const responseOf = (model: string) => ({
  id: "resp_doctor",
  object: "response",
  model,
  status: "completed",
  output: [item],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});

const responses: Reply = {
  ending: "/responses",
  whole: responseOf,
  events: (model) =>
    [
      { type: "response.created", response: { ...responseOf(model), status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
      {
        type: "response.output_text.delta",
        item_id: item.id,
        output_index: 0,
        content_index: 0,
        delta: answer,
      },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: responseOf(model) },
    ].map((event) => [event.type, event]),
};

const chunkOf = (model: string, choice: object) => ({
  id: "chat_doctor",
  model,
  created: 0,
  choices: [{ index: 0, ...choice }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const chatCompletions: Reply = {
  ending: "/chat/completions",
  whole: (model) =>
    chunkOf(model, { message: { role: "assistant", content: answer }, finish_reason: "stop" }),
  events: (model) => [
    ["", chunkOf(model, { delta: { role: "assistant", content: answer }, finish_reason: null })],
    ["", chunkOf(model, { delta: {}, finish_reason: "stop" })],
    ["", "[DONE]"],
  ],
};

const geminiAnswer = {
  candidates: [{ content: { role: "model", parts: [{ text: answer }] }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
};

const generateContent = { whole: () => geminiAnswer, events: (): [string, object][] => [["", geminiAnswer]] };

const replies: Reply[] = [
  anthropic,
  responses,
  chatCompletions,
  { ending: ":generateContent", ...generateContent },
  { ending: ":streamGenerateContent", ...generateContent },
];

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendEvents(response: ServerResponse, events: readonly [string, object | string][]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of events) {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${name === "" ? "" : `event: ${name}\n`}data: ${text}\n\n`);
  }
  response.end();
}

function parse(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
