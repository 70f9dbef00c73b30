/** Shorter ids are counters that some servers start again for every answer. */
const minIdCharacters = 10;

/**
 * The idempotency key of a tool call that its client identified, so that the same call sent again changes nothing.
 * It includes the content, because some servers reuse ids. Undefined if the id does not identify a call.
 */
export async function callKeyOf(id: unknown, tool: string, input: unknown): Promise<string | undefined> {
  if (typeof id !== "string" || id.length < minIdCharacters) return undefined;
  const text = new TextEncoder().encode(JSON.stringify([id, tool, input]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return `tool-${Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
