import type { ModelMessage } from "ai";
import type { Json } from "../engine/state.ts";

/** A message as it is stored: plain JSON, with bytes as base64 and without NUL, which no store takes. */
export function toStorable(message: ModelMessage, at: number, aside: boolean): Json {
  const value = { message, at, ...(aside ? { aside } : {}) };
  return JSON.parse(
    JSON.stringify(value, function (this: Record<string, unknown>, key: string, given: unknown) {
      // A Buffer has turned itself into an object by the time it gets here.
      const original = this[key];
      if (original instanceof Uint8Array) return toBase64(original);
      if (original instanceof ArrayBuffer) return toBase64(new Uint8Array(original));
      return typeof given === "string" ? given.replaceAll("\u0000", "\ufffd") : given;
    }),
  ) as Json;
}

function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  // Arguments of one call are limited in number.
  for (let at = 0; at < bytes.length; at += 8_192)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  return btoa(pieces.join(""));
}
