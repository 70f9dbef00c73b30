import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { LineCutter } from "./cut-lines.ts";

/** Max bytes per message. A note has a few thousand characters at most, a notepad tens of thousands. */
export const maxMessageBytes = 10 * 1024 * 1024;

/** How long running calls may delay the shutdown. */
const drainMilliseconds = 3_000;

/** How many requests run at a time. The others wait unread, so that a client that sends faster than it reads waits too. */
const maxRunning = 64;

/** A JSON-RPC batch: several messages in one line, answered in one line. */
interface Batch {
  pending: Set<RequestId>;
  responses: unknown[];
}

/**
 * One JSON-RPC message per line on a pair of streams. Unlike the SDK's transport it replies to malformed messages,
 * survives oversized ones, and finishes pending requests after the input ends. While the client does not read the
 * answers, its requests are not read either, so unread answers do not pile up in memory.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  /** Called after `onclose`, which belongs to the server. */
  onended?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines: LineCutter;
  readonly #pending = new Map<RequestId, Batch | undefined>();
  /** Lines of the last chunk that wait for the output to drain or for running requests. */
  #waiting: (() => void)[] = [];
  #blocked = false;
  #working = false;
  #closed = false;
  #ending = false;

  constructor(input: Readable, output: Writable, maxBytes = maxMessageBytes) {
    this.#input = input;
    this.#output = output;
    this.#lines = new LineCutter(maxBytes, {
      line: (text) => this.#waiting.push(() => this.#readLine(text)),
      tooLong: (id) =>
        this.#waiting.push(() =>
          this.#sendError(
            id,
            ProtocolErrorCode.InvalidRequest,
            `This message has more than ${maxBytes} bytes and was dropped; nothing was changed. Send less per call.`,
          ),
        ),
    });
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#read);
    this.#input.on("end", this.#end);
    this.#input.on("close", this.#end);
    this.#input.on("error", this.#end);
    this.#output.on("error", this.#abandon);
    this.#output.on("drain", this.#drained);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    const id = "method" in message ? undefined : message.id;
    const batch = id === undefined ? undefined : this.#pending.get(id);
    if (id !== undefined) this.#pending.delete(id);
    if (batch) this.#answerBatch(batch, message, id);
    else this.#write(message);
    this.#work();
    if (this.#ending && this.#pending.size === 0 && this.#waiting.length === 0) await this.close();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#input.off("data", this.#read);
    this.#input.off("end", this.#end);
    this.#input.off("close", this.#end);
    this.#output.off("drain", this.#drained);
    this.#waiting = [];
    this.onclose?.();
    this.onended?.();
  }

  readonly #read = (chunk: Buffer): void => {
    this.#lines.push(chunk);
    this.#work();
  };

  readonly #drained = (): void => {
    this.#blocked = false;
    this.#work();
  };

  /** Works through the lines that were read, and reads on only when none is left. */
  #work(): void {
    // A line that fails at once answers, which comes back here.
    if (this.#working) return;
    this.#working = true;
    while (this.#waiting.length > 0 && !this.#blocked && this.#pending.size < maxRunning)
      this.#waiting.shift()?.();
    this.#working = false;
    if (this.#closed) return;
    if (this.#waiting.length > 0 || this.#blocked) this.#input.pause();
    else if (this.#input.isPaused()) this.#input.resume();
  }

  readonly #end = (): void => {
    if (this.#ending) return;
    this.#ending = true;
    this.#lines.end();
    this.#work();
    if (this.#pending.size === 0 && this.#waiting.length === 0) void this.close();
    else setTimeout(() => void this.close(), drainMilliseconds).unref();
  };

  /** The client has stopped reading. */
  readonly #abandon = (): void => void this.close();

  #readLine(text: string): void {
    if (text.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      this.#sendError(undefined, ProtocolErrorCode.ParseError, describeParseError(error));
      return;
    }
    if (Array.isArray(value) && value.length > 0) this.#receiveBatch(value);
    else this.#receive(value);
  }

  #receiveBatch(messages: unknown[]): void {
    const batch: Batch = { pending: new Set(), responses: [] };
    for (const message of messages) {
      if (isJSONRPCRequest(message)) batch.pending.add(message.id);
      else if (!isMessage(message))
        batch.responses.push(errorFor(idOf(message), ProtocolErrorCode.InvalidRequest, notAMessage));
    }
    if (batch.pending.size === 0 && batch.responses.length > 0) this.#write(batch.responses);
    for (const message of messages) if (isMessage(message)) this.#receive(message, batch);
  }

  #receive(message: unknown, batch?: Batch): void {
    if (!isMessage(message)) {
      this.#sendError(idOf(message), ProtocolErrorCode.InvalidRequest, notAMessage);
      return;
    }
    if (isJSONRPCRequest(message)) this.#pending.set(message.id, batch);
    else if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
      this.#cancel(message.params?.requestId);
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      if (isJSONRPCRequest(message))
        void this.send(
          errorFor(
            message.id,
            ProtocolErrorCode.InternalError,
            "The message could not be processed.",
          ) as JSONRPCMessage,
        );
    }
  }

  /** A cancelled request gets no response. */
  #cancel(id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    const batch = this.#pending.get(id);
    this.#pending.delete(id);
    if (batch) this.#answerBatch(batch, undefined, id);
  }

  #answerBatch(batch: Batch, response: JSONRPCMessage | undefined, id: RequestId | undefined): void {
    if (response) batch.responses.push(response);
    if (id !== undefined) batch.pending.delete(id);
    if (batch.pending.size === 0 && batch.responses.length > 0) this.#write(batch.responses);
  }

  #sendError(id: RequestId | undefined, code: number, message: string): void {
    this.#write(errorFor(id, code, message));
  }

  #write(message: unknown): void {
    if (!this.#closed && !this.#output.write(`${JSON.stringify(message)}\n`)) this.#blocked = true;
  }
}

const notAMessage =
  'This is not a JSON-RPC request, notification or response. Send {"jsonrpc":"2.0","id":1,"method":"…"}, with a string or an integer as id.';

function describeParseError(error: unknown): string {
  const reason = error instanceof Error ? `: ${error.message.slice(0, 200)}` : "";
  return `This line is not valid JSON${reason}. Send one JSON-RPC message per line.`;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);
}

/** JSON-RPC requires a null id when the request's id is unknown. */
function errorFor(id: RequestId | undefined, code: number, message: string): object {
  return { jsonrpc: "2.0", id: id ?? null, error: { code, message } };
}

function idOf(message: unknown): RequestId | undefined {
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
