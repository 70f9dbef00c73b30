import type { ScriptedRequest } from "../../src/testing/index.ts";
import { cachedPieces, StableIds } from "./request-text.ts";

/** Dollars per million tokens; cached ones cost a tenth. The same for every system. */
const prices = { input: 3, cached: 0.3, output: 15 };

const bytesPerToken = 4;

/** What the requests of a run cost with a provider that caches the longest prefix that it has seen. */
export function costOf(
  requests: readonly ScriptedRequest[],
  outputCharacters: number,
): { prefixBytesChanged: number; dollars: number } {
  let prefixBytesChanged = 0;
  let cached = 0;
  let fresh = 0;
  const seen: string[] = [];
  const ids = new StableIds();
  for (const request of requests) {
    const prompt = ids.replaceIn(cachedPieces(request).join("\n"));
    const last = seen.at(-1);
    if (last !== undefined) prefixBytesChanged += last.length - commonPrefix(last, prompt);
    // A provider keeps a prefix for some minutes: that is about as many calls.
    const known = Math.max(0, ...seen.slice(-cachedCalls).map((earlier) => commonPrefix(earlier, prompt)));
    cached += known;
    fresh += prompt.length - known;
    seen.push(prompt);
  }
  const dollars =
    (fresh * prices.input + cached * prices.cached + outputCharacters * prices.output) / bytesPerToken / 1e6;
  return { prefixBytesChanged, dollars };
}

const cachedCalls = 4;

function commonPrefix(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  // Equal prefixes are long: compare large pieces before single characters.
  let at = 0;
  for (let piece = 1 << 14; piece >= 1; piece >>= 1)
    while (at + piece <= end && a.slice(at, at + piece) === b.slice(at, at + piece)) at += piece;
  return at;
}
