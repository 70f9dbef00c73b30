import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LanguageModel } from "ai";

/** One answer of a scripted model, in no provider's form. */
export interface WireAnswer {
  /** Thinking with the proof that a provider wants back with the results. */
  thinking?: { text: string; signature: string };
  text?: string;
  toolCalls?: { name: string; input: unknown }[];
  usage?: { input: number; output: number; cacheRead?: number; cacheWrite?: number };
  finish?: "length" | "refusal";
  /** The prompt is too long, in the provider's words. */
  overflow?: true;
}

/** The contents of a request, in no provider's form. */
export interface WireRequest {
  system: string;
  tools: string[];
  messages: WireMessage[];
  /** Where the request has cache breakpoints: tools, system, or the index of a message. */
  marks: (number | "tools" | "system")[];
  cacheKey: string | undefined;
  temperature: number | undefined;
  maxOutputTokens: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface WireMessage {
  role: "user" | "assistant";
  texts: string[];
  /** Signatures of thinking. */
  thinking: string[];
  calls: { id: string; name: string; input: unknown }[];
  results: { id: string; text: string }[];
  /** The media types of images and files. */
  media: string[];
}

export interface WireServer {
  url: string;
  requests: WireRequest[];
  close(): Promise<void>;
}

/** How one provider speaks. */
export interface Wire {
  name: string;
  model(url: string): LanguageModel;
  read(body: Record<string, unknown>): Omit<WireRequest, "headers" | "body">;
  /** The events of a streamed answer, or the body of a whole one. */
  stream(answer: WireAnswer, number: number): { event?: string; data: unknown }[];
  whole(answer: WireAnswer, number: number): unknown;
  overflow: { status: number; body: unknown };
  isStreamed(path: string, body: Record<string, unknown>): boolean;
}

/** A server that speaks a provider's wire; the script decides each answer from the request and its number, from 0. */
export async function startWire(
  wire: Wire,
  script: (request: WireRequest, number: number) => WireAnswer,
): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString("utf8");
    const body = JSON.parse(text) as Record<string, unknown>;
    const request = { ...wire.read(body), headers: incoming.headers, body: text };
    const number = requests.push(request) - 1;
    const answer = script(request, number);
    if (answer.overflow) {
      response.writeHead(wire.overflow.status, { "content-type": "application/json" });
      response.end(JSON.stringify(wire.overflow.body));
    } else if (wire.isStreamed(incoming.url ?? "", body)) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const { event, data } of wire.stream(answer, number))
        response.write(`${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
      response.end();
    } else {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(wire.whole(answer, number)));
    }
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

export function emptyMessage(role: WireMessage["role"]): WireMessage {
  return { role, texts: [], thinking: [], calls: [], results: [], media: [] };
}
