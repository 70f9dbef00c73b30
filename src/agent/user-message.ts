import type { UserContent, UserModelMessage } from "ai";
import { HoldfastError } from "../errors.ts";

/** A message of the user that can be stored: images and files as text, so that they survive a restart. */
export function userMessage(input: string | UserContent): UserModelMessage {
  const parts = typeof input === "string" ? [{ type: "text" as const, text: input }] : input;
  const isEmpty = parts.every((part) => part.type === "text" && part.text.trim() === "");
  if (isEmpty) throw new HoldfastError("invalid_input", "The message to send is empty. Pass a text.");
  if (typeof input === "string") return { role: "user", content: input };
  return {
    role: "user",
    content: input.map((part) => {
      if (part.type === "image") return { ...part, image: storable(part.image) };
      return part.type === "file" ? { ...part, data: storable(part.data) } : part;
    }),
  };
}

/** Bytes as base64 and addresses as text; anything else is JSON already. */
function storable<T>(data: T): T | string {
  if (data instanceof URL) return data.href;
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString("base64");
  return data instanceof Uint8Array ? Buffer.from(data).toString("base64") : data;
}
