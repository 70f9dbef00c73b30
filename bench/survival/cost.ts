import type { ScriptedRequest } from "../../src/testing/index.ts";
import { promptOf } from "./request-text.ts";

/** Dollars per million tokens; cached ones cost a tenth. The same for every system. */
const prices = { input: 3, cached: 0.3, output: 15 };
const bytesPerToken = 4;

/** A provider keeps a prefix for some minutes: that is about as many calls. */
const cachedCalls = 4;

/** Dollars for a run's requests with a provider that caches the longest prefix that it has seen. */
export function costOf(requests: readonly ScriptedRequest[], outputBytes: number): number {
  const prompts = requests.map((request) => Buffer.from(promptOf(request)));
  let cached = 0;
  let fresh = 0;
  for (const [index, prompt] of prompts.entries()) {
    const earlier = prompts.slice(Math.max(0, index - cachedCalls), index);
    const known = Math.max(0, ...earlier.map((other) => commonPrefix(other, prompt)));
    cached += known;
    fresh += prompt.length - known;
  }
  const bytes = fresh * prices.input + cached * prices.cached + outputBytes * prices.output;
  return bytes / bytesPerToken / 1e6;
}

function commonPrefix(a: Buffer, b: Buffer): number {
  const end = Math.min(a.length, b.length);
  // Equal prefixes are long: compare large pieces before single bytes.
  let at = 0;
  for (let piece = 1 << 14; piece >= 1; piece >>= 1)
    while (at + piece <= end && a.compare(b, at, at + piece, at, at + piece) === 0) at += piece;
  return at;
}
