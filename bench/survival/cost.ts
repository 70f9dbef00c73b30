import { cachedPieces, StableIds } from "./request-text.ts";
import type { SeenRequest } from "./script.ts";

/** Dollars per million tokens; cached ones cost a tenth. The same for every system. */
const prices = { input: 3, cached: 0.3, output: 15 };

const bytesPerToken = 4;

/**
 * The cost of a run's requests with a provider that caches the longest prefix that it has seen, and how many bytes of
 * a turn's prompt the next prompt of a turn did not begin with. A request for a summary is not such a prompt: it costs, but
 * the cache keeps the turn's prompt meanwhile.
 */
export function costOf(
  requests: readonly SeenRequest[],
  outputBytes: number,
): { prefixBytesChanged: number; dollars: number } {
  let prefixBytesChanged = 0;
  let cached = 0;
  let fresh = 0;
  let lastTurn: Buffer | undefined;
  const seen: Buffer[] = [];
  const ids = new StableIds();
  for (const { kind, request } of requests) {
    const prompt = Buffer.from(
      cachedPieces(request)
        .map((piece) => ids.replaceIn(piece))
        .join("\n"),
    );
    if (kind === "turn") {
      if (lastTurn) prefixBytesChanged += lastTurn.length - commonPrefix(lastTurn, prompt);
      lastTurn = prompt;
    }
    // A provider keeps a prefix for some minutes: that is about as many calls.
    const known = Math.max(0, ...seen.slice(-cachedCalls).map((earlier) => commonPrefix(earlier, prompt)));
    cached += known;
    fresh += prompt.length - known;
    seen.push(prompt);
  }
  const dollars =
    (fresh * prices.input + cached * prices.cached + outputBytes * prices.output) / bytesPerToken / 1e6;
  return { prefixBytesChanged, dollars };
}

const cachedCalls = 4;

function commonPrefix(a: Buffer, b: Buffer): number {
  const end = Math.min(a.length, b.length);
  // Equal prefixes are long: compare large pieces before single bytes.
  let at = 0;
  for (let piece = 1 << 14; piece >= 1; piece >>= 1)
    while (at + piece <= end && a.compare(b, at, at + piece, at, at + piece) === 0) at += piece;
  return at;
}
