/** Shorter ids are counters that some servers start again for every answer. */
const minIdCharacters = 10;

/**
 * The idempotency key of a tool call that its client identified, so that the same call sent again changes nothing.
 * It includes the content, because some servers reuse ids. Undefined if the id does not identify a call.
 */
export async function callKeyOf(id: unknown, tool: string, input: unknown): Promise<string | undefined> {
  if (typeof id !== "string" || id.length < minIdCharacters) return undefined;
  return `tool-${await hashOf(JSON.stringify([id, tool, input]))}`;
}

/** The key of a write that a session makes elsewhere, where other sessions may use the same key. */
export async function derivedKey(sessionId: string, key: string): Promise<string> {
  return hashOf(`${sessionId}\n${key}`);
}

/** The first half of a text's SHA-256, in hexadecimal. */
export async function hashOf(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
