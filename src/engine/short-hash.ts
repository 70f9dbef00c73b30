const encoder = new TextEncoder();

/** A hash of 16 hex digits, for names and for noticing changes. A cryptographic one takes too long to load in a hook. */
export function shortHash(text: string | Uint8Array): string {
  let [a, b] = [0x811c9dc5, 0x1000193];
  for (const byte of typeof text === "string" ? encoder.encode(text) : text) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x85ebca6b) ^ (b >>> 13);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
