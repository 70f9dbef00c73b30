/**
 * HMAC-SHA-256 (FIPS 180-4, RFC 2104) as hex, for a hook that checks short texts: loading Node's own takes 7 ms of its
 * start.
 */
export function hmacSha256(key: Uint8Array, text: string): string {
  const block = new Uint8Array(blockBytes);
  block.set(key.length > blockBytes ? bytesOf(sha256([key])) : key);
  const inner = sha256([block.map((byte) => byte ^ 0x36), new TextEncoder().encode(text)]);
  const outer = sha256([block.map((byte) => byte ^ 0x5c), bytesOf(inner)]);
  return Array.from(outer, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

const blockBytes = 64;

let tables: { start: Int32Array; rounds: Int32Array } | undefined;

/** The first 32 bits of the fractional parts of a root of each of the first primes. */
function rootsOfPrimes(count: number, root: (prime: number) => number): Int32Array {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return Int32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}

function sha256(parts: readonly Uint8Array[]): Int32Array {
  tables ??= { start: rootsOfPrimes(8, Math.sqrt), rounds: rootsOfPrimes(64, Math.cbrt) };
  const hash = tables.start.slice();
  const view = new DataView(padded(parts).buffer);
  const words = new Int32Array(64);
  for (let at = 0; at < view.byteLength; at += blockBytes) {
    for (let index = 0; index < 16; index++) words[index] = view.getInt32(at + 4 * index);
    addBlock(hash, words, tables.rounds);
  }
  return hash;
}

/** The parts, a one bit, zeros, and the number of bits, in whole blocks. */
function padded(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const all = new Uint8Array(Math.ceil((length + 9) / blockBytes) * blockBytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  all[at] = 0x80;
  new DataView(all.buffer).setBigUint64(all.length - 8, BigInt(length) * 8n);
  return all;
}

/** Written out, because in a hook this code runs once, unoptimised. */
function addBlock(hash: Int32Array, words: Int32Array, rounds: Int32Array): void {
  for (let index = 16; index < 64; index++) {
    const x = words[index - 15] ?? 0;
    const y = words[index - 2] ?? 0;
    const early = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const late = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[index] = (words[index - 16] ?? 0) + early + (words[index - 7] ?? 0) + late;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let index = 0; index < 64; index++) {
    const x = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + x + ((e & f) ^ (~e & g)) + (rounds[index] ?? 0) + (words[index] ?? 0)) | 0;
    const y = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const most = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + y + most) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    hash[index] = (hash[index] ?? 0) + word;
  });
}

function bytesOf(hash: Int32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * hash.length));
  hash.forEach((word, index) => {
    view.setInt32(4 * index, word);
  });
  return new Uint8Array(view.buffer);
}

/**
 * Whether two MACs are the same. It looks at every character, so that the time says nothing about the first that
 * differs. Loading node:crypto for its comparison takes a sixth of a hook.
 */
export function isSameMac(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let index = 0; index < expected.length; index++)
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index);
  return difference === 0;
}
