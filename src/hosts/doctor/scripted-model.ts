import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { isObject, objectIn, objectsIn, textIn } from "../../engine/json.ts";

/** A request of a client, in whichever protocol it speaks. */
export interface ClientRequest {
  body: string;
  /** The names of the offered tools. */
  tools: string[];
  /** All text of the request, tool definitions excepted. */
  text: string;
  /** The text of the last message that the model has to answer. */
  last: string;
  /** The last message is the result of a tool. */
  isResult: boolean;
}

export interface ClientAnswer {
  text?: string;
  call?: { tool: string; input: Record<string, unknown> };
  /** Input tokens that the answer reports (default: a quarter of the request's characters). */
  tokens?: number;
  /** Milliseconds that the answer takes, for a client that records a call only some time later. */
  takes?: number;
}

export interface ScriptedModel {
  /** Without a path. */
  url: string;
  requests: ClientRequest[];
  close(): Promise<void>;
}

/** A model server on loopback that a script answers, for clients of all four protocols. */
export async function startScriptedModel(
  script: (request: ClientRequest) => ClientAnswer = () => ({ text: "ok" }),
): Promise<ScriptedModel> {
  const requests: ClientRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const body = await readBody(incoming);
    const path = (incoming.url ?? "").split("?")[0] ?? "";
    const protocol = protocols.find(({ ending }) => ending.test(path));
    if (!protocol || incoming.method !== "POST") return answerOther(path, response);
    const content = objectIn(parse(body));
    const request = { body, ...protocol.read(content) };
    const number = requests.push(request);
    const answer = script(request);
    if (answer.takes) await setTimeout(answer.takes);
    const tokens = answer.tokens ?? Math.ceil(body.length / 4);
    const isStream = content.stream === true || path.endsWith("streamGenerateContent");
    const reply = { ...answer, tokens, id: `scripted_${number}`, model: textIn(content.model) || "scripted" };
    if (isStream) sendEvents(response, protocol.events(reply));
    else sendJson(response, 200, protocol.whole(reply));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

type Fields = Record<string, unknown>;
type Reply = ClientAnswer & { tokens: number; id: string; model: string };
type Event = [name: string, data: object | string];

interface Protocol {
  ending: RegExp;
  read(content: Fields): Omit<ClientRequest, "body">;
  whole(reply: Reply): object;
  events(reply: Reply): Event[];
}

/** Some clients ask which models there are, or how many tokens a request has. */
function answerOther(path: string, response: ServerResponse): void {
  if (path.endsWith("/models")) sendJson(response, 200, { object: "list", data: [{ id: "scripted" }] });
  else if (path.endsWith("countTokens")) sendJson(response, 200, { totalTokens: 100 });
  else if (path.endsWith("count_tokens")) sendJson(response, 200, { input_tokens: 100 });
  else sendJson(response, 404, { error: { message: "not found" } });
}

/** The text of a message's content: a string, or parts that contain texts at any depth. */
function textsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textsIn).join("\n");
  if (!isObject(value)) return "";
  const { text, content, output, error, input_text, functionResponse, response, parts } = value;
  return [text, content, output, error, input_text, functionResponse, response, parts]
    .map(textsIn)
    .filter((part) => part !== "")
    .join("\n");
}

const anthropic: Protocol = {
  ending: /\/v1\/messages$/,
  read({ system, messages, tools }) {
    const list = objectsIn(messages);
    // The client adds messages of its own after the user's.
    const open = list.slice(list.findLastIndex(({ role }) => role === "assistant") + 1);
    return {
      tools: objectsIn(tools).map(({ name }) => textIn(name)),
      text: [system, list].map(textsIn).join("\n"),
      last: textsIn(open),
      isResult: open.some(({ content }) => objectsIn(content).some(({ type }) => type === "tool_result")),
    };
  },
  whole: ({ text = "", call, tokens, id, model }) => ({
    id,
    type: "message",
    role: "assistant",
    model,
    content: call
      ? [{ type: "tool_use", id: `toolu_${id}`, name: call.tool, input: call.input }]
      : [{ type: "text", text }],
    stop_reason: call ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: tokens, output_tokens: 5 },
  }),
  events({ text = "", call, tokens, id, model }) {
    const usage = { input_tokens: tokens, output_tokens: 5 };
    const message = {
      ...{ id, type: "message", role: "assistant", model, content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage },
    };
    const block = call
      ? { type: "tool_use", id: `toolu_${id}`, name: call.tool, input: {} }
      : { type: "text", text: "" };
    const delta = call
      ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
      : { type: "text_delta", text };
    return named([
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null },
        usage,
      },
      { type: "message_stop" },
    ]);
  },
};

const responses: Protocol = {
  ending: /\/responses$/,
  read({ instructions, input, tools }) {
    const items = typeof input === "string" ? [{ role: "user", content: input }] : objectsIn(input);
    const last = items.at(-1);
    return {
      tools: objectsIn(tools).flatMap((tool) =>
        tool.type === "namespace"
          ? objectsIn(tool.tools).map(({ name }) => `${textIn(tool.name)}/${textIn(name)}`)
          : [textIn(tool.name)],
      ),
      text: [instructions, items].map(textsIn).join("\n"),
      last: textsIn(last),
      isResult: textIn(last?.type).endsWith("_call_output"),
    };
  },
  whole: (reply) => responseOf(reply, "completed", [itemOf(reply)]),
  events(reply) {
    const item = itemOf(reply);
    return named([
      { type: "response.created", response: responseOf(reply, "in_progress", []) },
      { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
      ...(reply.call
        ? []
        : [
            {
              type: "response.output_text.delta",
              item_id: item.id,
              output_index: 0,
              content_index: 0,
              delta: reply.text ?? "",
            },
          ]),
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: responseOf(reply, "completed", [item]) },
    ]);
  },
};

function itemOf({ text = "", call, id }: Reply): Fields {
  if (!call) {
    const content = [{ type: "output_text", text, annotations: [] }];
    return { id: `item_${id}`, type: "message", role: "assistant", status: "completed", content };
  }
  const [namespace, name] = call.tool.includes("/") ? call.tool.split("/") : [undefined, call.tool];
  return {
    id: `item_${id}`,
    type: "function_call",
    status: "completed",
    call_id: `call_${id}`,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(call.input),
  };
}

function responseOf({ id, model, tokens }: Reply, status: string, output: object[]): object {
  const usage = { input_tokens: tokens, output_tokens: 5, total_tokens: tokens + 5 };
  return { id, object: "response", created_at: 0, model, status, output, usage };
}

const chatCompletions: Protocol = {
  ending: /\/chat\/completions$/,
  read({ messages, tools }) {
    const list = objectsIn(messages);
    // A client may add a message of its own after the user's; one with the prompt below a reminder is the user's.
    const isOwn =
      /^(?:<<<BEGIN_\w+_INTERNAL_CONTEXT>>>|<system-reminder>(?:(?!<\/system-reminder>)[\s\S])*<\/system-reminder>\s*$)/;
    const last = list.findLast((message) => !isOwn.test(textsIn(message)));
    return {
      tools: objectsIn(tools).map((tool) => textIn(objectIn(tool.function).name)),
      text: textsIn(list),
      last: textsIn(last),
      isResult: last?.role === "tool",
    };
  },
  whole: (reply) => {
    const message = { role: "assistant", content: reply.text ?? null, ...toolCalls(reply) };
    return chunkOf(reply, "chat.completion", { message, finish_reason: finishOf(reply) });
  },
  events: (reply) => {
    const kind = "chat.completion.chunk";
    const delta = reply.call ? toolCalls(reply) : { content: reply.text ?? "" };
    return [
      ["", chunkOf(reply, kind, { delta: { role: "assistant", ...delta }, finish_reason: null })],
      ["", chunkOf(reply, kind, { delta: {}, finish_reason: finishOf(reply) })],
      ["", "[DONE]"],
    ];
  },
};

function finishOf({ call }: Reply): string {
  return call ? "tool_calls" : "stop";
}

function toolCalls({ call, id }: Reply): object {
  if (!call) return {};
  const { tool: name, input } = call;
  const made = { name, arguments: JSON.stringify(input) };
  return { tool_calls: [{ index: 0, id: `call_${id}`, type: "function", function: made }] };
}

function chunkOf({ id, model, tokens }: Reply, object: string, choice: object): object {
  const usage = { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 };
  return { id, object, created: 1, model, choices: [{ index: 0, ...choice }], usage };
}

const generateContent: Protocol = {
  ending: /:(?:stream)?[gG]enerateContent$/,
  read({ systemInstruction, contents, tools }) {
    const list = objectsIn(contents);
    const last = list.at(-1);
    return {
      tools: objectsIn(tools).flatMap(({ functionDeclarations }) =>
        objectsIn(functionDeclarations).map(({ name }) => textIn(name)),
      ),
      text: [systemInstruction, list].map(textsIn).join("\n"),
      last: textsIn(last),
      isResult: objectsIn(last?.parts).some(({ functionResponse }) => functionResponse !== undefined),
    };
  },
  whole: contentOf,
  events: (reply) => [["", contentOf(reply)]],
};

function contentOf({ text = "", call, tokens }: Reply): object {
  const parts = call ? [{ functionCall: { name: call.tool, args: call.input } }] : [{ text }];
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: tokens, candidatesTokenCount: 5, totalTokenCount: tokens + 5 },
  };
}

const protocols = [anthropic, responses, chatCompletions, generateContent];

function named(events: ({ type: string } & Fields)[]): Event[] {
  return events.map((event) => [event.type, event]);
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendEvents(response: ServerResponse, events: readonly Event[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of events) {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${name === "" ? "" : `event: ${name}\n`}data: ${text}\n\n`);
  }
  response.end();
}
