import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The fields of a client's request that scripts read. */
export interface ScriptedRequest {
  model: string;
  stream?: boolean;
  messages: {
    role: string;
    content?: unknown;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    tool_call_id?: string;
  }[];
  tools?: { function: { name: string; parameters: unknown } }[];
}

/** One answer of the scripted model. */
export type ScriptedAnswer =
  | {
      text?: string;
      /** `arguments` is sent as it is, in place of `input` as JSON. */
      toolCalls?: { id?: string; name: string; input?: unknown; arguments?: string }[];
      /** Why the answer ends (default: "stop" or "tool_calls"). */
      finish?: string;
      /**
       * The answer stops before its end, in the middle of its last call if it has one: the connection breaks, or the
       * stream just ends.
       */
      cut?: "broken" | "ended";
      usage?: { input: number; output: number; cached?: number };
    }
  | { status: number; error: string; code?: string }
  | { hangUp: true };

export interface ScriptedServer {
  /** Base URL of an OpenAI-compatible endpoint on loopback. */
  url: string;
  /** Every request body, in order, and its exact bytes. */
  requests: ScriptedRequest[];
  bodies: string[];
  close(): Promise<void>;
}

/** A model server without a model: the script decides each answer from the request and its number, from 0. */
export async function startScriptedServer(
  script: (request: ScriptedRequest, number: number) => ScriptedAnswer | Promise<ScriptedAnswer>,
): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const bodies: string[] = [];
  const server = createServer(async (incoming, response) => {
    try {
      const body = await readBody(incoming);
      const request = JSON.parse(body) as ScriptedRequest;
      const number = requests.push(request) - 1;
      bodies.push(body);
      const answer = await script(request, number);
      if ("hangUp" in answer) response.destroy();
      else if ("status" in answer) refuse(response, answer);
      else if (request.stream) streamAnswer(response, request, number, answer);
      else wholeAnswer(response, request, number, answer);
    } catch (error) {
      refuse(response, { status: 500, error: `the script failed: ${(error as Error).message}` });
    }
  });
  // After Node's five seconds a busy client may use a connection that the server is closing.
  server.keepAliveTimeout = 0;
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    bodies,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

type Answer = Extract<ScriptedAnswer, { text?: string }>;

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function refuse(
  response: ServerResponse,
  { status, error, code }: { status: number; error: string; code?: string },
): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(
    JSON.stringify({ error: { message: error, type: "invalid_request_error", code: code ?? null } }),
  );
}

function callsOf(answer: Answer, number: number) {
  return (answer.toolCalls ?? []).map(({ id, name, input, arguments: raw }, index) => ({
    index,
    id: id ?? `call_${number}_${index}`,
    type: "function",
    function: { name, arguments: raw ?? JSON.stringify(input) },
  }));
}

function finishOf({ finish, toolCalls = [] }: Answer): string {
  return finish ?? (toolCalls.length > 0 ? "tool_calls" : "stop");
}

function halfOf(call: ReturnType<typeof callsOf>[number]) {
  const { arguments: whole } = call.function;
  return { ...call, function: { ...call.function, arguments: whole.slice(0, whole.length / 2) } };
}

function usageOf({ usage }: Answer, request: ScriptedRequest) {
  const input = usage?.input ?? Math.ceil(JSON.stringify(request.messages).length / 4);
  const output = usage?.output ?? 20;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(usage?.cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cached } }),
  };
}

function wholeAnswer(
  response: ServerResponse,
  request: ScriptedRequest,
  number: number,
  answer: Answer,
): void {
  const calls = callsOf(answer, number).map(({ index: _index, ...call }) => call);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      id: `scripted-${number}`,
      object: "chat.completion",
      created: 0,
      model: request.model,
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: answer.text ?? null,
            ...(calls.length > 0 ? { tool_calls: calls } : {}),
          },
          finish_reason: finishOf(answer),
        },
      ],
      usage: usageOf(answer, request),
    }),
  );
}

function streamAnswer(
  response: ServerResponse,
  request: ScriptedRequest,
  number: number,
  answer: Answer,
): void {
  const calls = callsOf(answer, number);
  const send = (delta: object, finish: string | null = null, more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: `scripted-${number}`, object: "chat.completion.chunk", created: 0, model: request.model, choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`,
    );
  response.writeHead(200, { "content-type": "text/event-stream" });
  send({ role: "assistant", content: "" });
  for (const piece of (answer.text ?? "").match(/[\s\S]{1,20}/g) ?? []) send({ content: piece });
  for (const [index, call] of calls.entries())
    send({ tool_calls: [answer.cut && index === calls.length - 1 ? halfOf(call) : call] });
  if (answer.cut) {
    if (answer.cut === "broken") response.destroy();
    else response.end();
    return;
  }
  send({}, finishOf(answer), { usage: usageOf(answer, request) });
  response.end("data: [DONE]\n\n");
}
