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

/** Bytes of one message. A note has at most a few thousand characters, a notepad some ten thousand. */
export const mostMessageBytes = 10 * 1024 * 1024;

/** How long calls that are still running may hold up the end. */
const lastAnswersMilliseconds = 3_000;

/** Several messages in one line are answered in one line. */
interface Batch {
  missing: Set<RequestId>;
  answers: unknown[];
}

/**
 * One message per line on a pair of streams. Unlike the SDK's own transport it answers what it cannot read, survives
 * a message that is too long, and answers what was asked before the input ended.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines: LineCutter;
  readonly #waiting = new Map<RequestId, Batch | undefined>();
  #closed = false;
  #ending = false;

  constructor(input: Readable, output: Writable, mostBytes = mostMessageBytes) {
    this.#input = input;
    this.#output = output;
    this.#lines = new LineCutter(mostBytes, {
      line: (text) => this.#readLine(text),
      tooLong: (id) =>
        this.#refuse(
          id,
          ProtocolErrorCode.InvalidRequest,
          `This message has more than ${mostBytes} bytes and was dropped; nothing was changed. Send less at once, in several calls.`,
        ),
    });
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#read);
    this.#input.on("end", this.#end);
    this.#input.on("close", this.#end);
    this.#input.on("error", this.#end);
    this.#output.on("error", this.#abandon);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    const id = "method" in message ? undefined : message.id;
    const batch = id === undefined ? undefined : this.#waiting.get(id);
    if (id !== undefined) this.#waiting.delete(id);
    if (batch) this.#answerBatch(batch, message, id);
    else this.#write(message);
    if (this.#ending && this.#waiting.size === 0) await this.close();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#input.off("data", this.#read);
    this.#input.off("end", this.#end);
    this.#input.off("close", this.#end);
    this.onclose?.();
  }

  readonly #read = (chunk: Buffer): void => this.#lines.push(chunk);

  readonly #end = (): void => {
    if (this.#ending) return;
    this.#ending = true;
    this.#lines.end();
    if (this.#waiting.size === 0) void this.close();
    else setTimeout(() => void this.close(), lastAnswersMilliseconds).unref();
  };

  /** Nobody reads what is written any more. */
  readonly #abandon = (): void => void this.close();

  #readLine(text: string): void {
    if (text.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      this.#refuse(undefined, ProtocolErrorCode.ParseError, noJson(error));
      return;
    }
    if (Array.isArray(value) && value.length > 0) this.#receiveBatch(value);
    else this.#receive(value);
  }

  #receiveBatch(messages: unknown[]): void {
    const batch: Batch = { missing: new Set(), answers: [] };
    for (const message of messages) {
      if (isJSONRPCRequest(message)) batch.missing.add(message.id);
      else if (!isMessage(message))
        batch.answers.push(errorFor(idOf(message), ProtocolErrorCode.InvalidRequest, noMessage));
    }
    if (batch.missing.size === 0 && batch.answers.length > 0) this.#write(batch.answers);
    for (const message of messages) if (isMessage(message)) this.#receive(message, batch);
  }

  #receive(message: unknown, batch?: Batch): void {
    if (!isMessage(message)) {
      this.#refuse(idOf(message), ProtocolErrorCode.InvalidRequest, noMessage);
      return;
    }
    if (isJSONRPCRequest(message)) this.#waiting.set(message.id, batch);
    else if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
      this.#forget(message.params?.requestId);
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      if (isJSONRPCRequest(message))
        void this.send(
          errorFor(
            message.id,
            ProtocolErrorCode.InternalError,
            "The message could not be read.",
          ) as JSONRPCMessage,
        );
    }
  }

  /** A cancelled request gets no answer. */
  #forget(id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    const batch = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (batch) this.#answerBatch(batch, undefined, id);
  }

  #answerBatch(batch: Batch, answer: JSONRPCMessage | undefined, id: RequestId | undefined): void {
    if (answer) batch.answers.push(answer);
    if (id !== undefined) batch.missing.delete(id);
    if (batch.missing.size === 0 && batch.answers.length > 0) this.#write(batch.answers);
  }

  #refuse(id: RequestId | undefined, code: number, message: string): void {
    this.#write(errorFor(id, code, message));
  }

  #write(message: unknown): void {
    if (!this.#closed) this.#output.write(`${JSON.stringify(message)}\n`);
  }
}

const noMessage =
  'This is no JSON-RPC request, notification or response. Send {"jsonrpc":"2.0","id":1,"method":"…"}, with a string or a whole number as id.';

function noJson(error: unknown): string {
  const reason = error instanceof Error ? `: ${error.message.slice(0, 200)}` : "";
  return `This line is no valid JSON${reason}. Send one JSON-RPC message per line.`;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);
}

/** JSON-RPC wants null where the id could not be found. */
function errorFor(id: RequestId | undefined, code: number, message: string): object {
  return { jsonrpc: "2.0", id: id ?? null, error: { code, message } };
}

function idOf(message: unknown): RequestId | undefined {
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
