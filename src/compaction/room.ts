/** The room for a handoff. */
export interface HandoffRoom {
  tokens: number;
  /** Also at most this many bytes, for a host that limits what it shows. */
  bytes?: number | undefined;
  /** How the host changes the text before it counts. */
  escape?: ((text: string) => string) | undefined;
}

/** Assumed where the window is not known. */
const usualWindow = 200_000;
const [minTokens, maxTokens] = [600, 2_500];

/** Tokens for a handoff: 1.2 % of the window, at least 600 and at most 2,500. */
export function handoffTokens(contextWindow = usualWindow): number {
  return Math.round(Math.min(maxTokens, Math.max(minTokens, contextWindow * 0.012)));
}

/** Measures texts as shares of the room. */
export interface Meter {
  /** 1 fills the room. */
  cost(text: string): number;
  tokens: number;
  countTokens(text: string): number;
}

export function meterOf(
  { tokens, bytes, escape: escaped = (text) => text }: HandoffRoom,
  countTokens: (text: string) => number,
): Meter {
  return {
    cost: (text) =>
      text === ""
        ? 0
        : Math.max(
            countTokens(text) / Math.max(1, tokens),
            bytes === undefined ? 0 : utf8Length(escaped(text)) / Math.max(1, bytes),
          ),
    // A token has about four bytes, in most scripts.
    tokens: Math.min(tokens, (bytes ?? Number.POSITIVE_INFINITY) / 4),
    countTokens,
  };
}

const encoder = new TextEncoder();

function utf8Length(text: string): number {
  return encoder.encode(text).length;
}
