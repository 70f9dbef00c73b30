import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface JsonRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the client's request itself
  body: any;
}

type Answer<T> = (request: JsonRequest, number: number) => T;

/** A loopback server that answers each request with JSON; closed after the test. */
export function startJsonServer(t: TestContext, answer: Answer<object>) {
  return startServer(t, (response, request, number) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer(request, number)));
  });
}

/** A loopback server that answers with streams of server-sent events; without an answer it hangs up. */
export function startEventServer(t: TestContext, answer: Answer<readonly { type: string }[] | undefined>) {
  return startServer(t, (response, request, number) => {
    const events = answer(request, number);
    if (!events) return void response.destroy();
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
}

async function startServer(
  t: TestContext,
  respond: (response: ServerResponse, request: JsonRequest, number: number) => void,
): Promise<{ url: string; requests: JsonRequest[] }> {
  const requests: JsonRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const body: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
    const request = { path: incoming.url ?? "", headers: incoming.headers, body };
    respond(response, request, requests.push(request) - 1);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
