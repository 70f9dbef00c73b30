import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";

/** Longer events are ignored. */
const maxInputBytes = 32_000_000;

/** The event as the host wrote it to stdin. */
export async function readInput(): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of chunks()) {
    size += piece.length;
    if (size <= maxInputBytes) pieces.push(piece);
    // Keep reading: some hosts treat a closed pipe as a failure.
    else pieces.length = 0;
  }
  if (size <= maxInputBytes) return Buffer.concat(pieces).toString("utf8");
  throw new HoldfastError(
    "over_limit",
    `The event has ${size} bytes; the limit is ${maxInputBytes}. It was ignored; the next event is handled as usual.`,
  );
}

/**
 * Reads stdin in the thread pool: loading Node's streams for `process.stdin` costs a quarter of a start. A read that never
 * returns is left behind with `execve`; where Node has none, and for stdin that does not block, the stream is used.
 */
async function* chunks(): AsyncIterable<Buffer> {
  const { read } = process.getBuiltinModule("node:fs");
  const readChunk = () =>
    new Promise<Buffer>((resolve, reject) => {
      const buffer = Buffer.allocUnsafe(65_536);
      read(0, buffer, 0, buffer.length, null, (error, length) =>
        error ? reject(error) : resolve(buffer.subarray(0, length)),
      );
    });
  if (process.execve) {
    try {
      for (let chunk = await readChunk(); chunk.length > 0; chunk = await readChunk()) yield chunk;
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
  yield* process.stdin as AsyncIterable<Buffer>;
}

export function parsePayload(text: string): Record<string, unknown> {
  let payload: unknown;
  try {
    payload = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new HoldfastError(
      "invalid_input",
      `The input on stdin is not JSON (${(error as Error).message}). The host calls a hook with the event as JSON.`,
    );
  }
  if (isObject(payload)) return payload;
  throw new HoldfastError("invalid_input", "The event on stdin is not a JSON object.");
}
