import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Wire } from "../../../test/support/wires/wire.ts";

/** A model on loopback that runs the command of the user's last "run: …" with one of the client's tools. */
export interface ToolModel {
  url: string;
  /** The bodies of the model requests, in order. */
  bodies: string[];
  close(): Promise<void>;
}

export interface ToolModelOptions {
  wire: Wire;
  /** The end of the path of model requests. */
  path: string;
  /** How a request contains the result of a call. */
  result: string;
  /** The call that runs a command, for a request with these tools; undefined if it has none that can. */
  callOf(command: string, body: string): { name: string; input: unknown } | undefined;
}

export async function startToolModel({ wire, path, result, callOf }: ToolModelOptions): Promise<ToolModel> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString("utf8");
    if (request.method !== "POST" || !(request.url ?? "").split("?")[0]?.endsWith(path)) {
      response
        .writeHead(404, { "content-type": "application/json" })
        .end('{"error":{"message":"not found"}}');
      return;
    }
    const number = bodies.push(body);
    const asked = body.lastIndexOf("run: ");
    const command = /^run: ([^"\\]+)/.exec(body.slice(Math.max(0, asked)))?.[1];
    const isAnswered = body.indexOf(result, asked) !== -1;
    const call = command === undefined || isAnswered ? undefined : callOf(command, body);
    const answer = call ? { toolCalls: [call] } : { text: "ok" };
    if (body.includes('"stream":true')) {
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
    bodies,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
