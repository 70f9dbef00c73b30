import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface JsonRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the client's request itself
  body: any;
}

/** A loopback server that answers each request with JSON; closed after the test. */
export async function startJsonServer(
  t: TestContext,
  answer: (request: JsonRequest, number: number) => object,
): Promise<{ url: string; requests: JsonRequest[] }> {
  const requests: JsonRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const body: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
    const request = { path: incoming.url ?? "", headers: incoming.headers, body };
    const number = requests.push(request) - 1;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer(request, number)));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
