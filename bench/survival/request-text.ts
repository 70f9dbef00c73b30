import type { ScriptedRequest } from "../../src/testing/index.ts";

type Message = ScriptedRequest["messages"][number];

/** The whole text of a message to the model. */
export function textOf({ content, tool_calls = [] }: Message): string {
  const calls = tool_calls.map(({ function: { name, arguments: input } }) => `${name} ${input}`);
  return readable([contentText(content), ...calls].filter((part) => part !== "").join("\n"));
}

/** The whole context as the model reads it, without the tools' descriptions. */
export function contextOf({ messages }: ScriptedRequest): string {
  return messages.map(textOf).join("\n");
}

/** The pieces in the order in which a provider caches them: tools, then messages. Times are always the same. */
export function cachedPieces({ tools = [], messages }: ScriptedRequest): string[] {
  return [
    JSON.stringify(tools),
    ...messages.map((message) => withoutClock(`${message.role}\n${textOf(message)}`)),
  ];
}

/** Most messages of a request were in the one before, and searching them again takes longer than looking them up. */
const clockless = new Map<string, string>();
const maxClockless = 5_000;

function withoutClock(text: string): string {
  const known = clockless.get(text);
  if (known !== undefined) return known;
  if (clockless.size === maxClockless) clockless.clear();
  const timeless = withSameTimes(text);
  clockless.set(text, timeless);
  return timeless;
}

/** A system may show when something was said. Its cost must not depend on when the benchmark runs. */
function withSameTimes(text: string): string {
  // A text may be cut in the middle of a time.
  const dates = text.replaceAll(/\b20\d\d-\d[\d-]*(?:[T ]\d[\d:.]*)?/g, (time) =>
    time.replaceAll(/\d/g, "0"),
  );
  return (
    dates
      .replaceAll(/\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* \d{1,2},? 20\d\d/g, "Jan 1 2026")
      // Mastra shows it where the minute changes.
      .replaceAll(/\s?\(\d{1,2}:\d\d(?::\d\d)?\s[AP]M\)/g, "")
      .replaceAll(/\b\d{1,2}:\d\d(?::\d\d)?\s[AP]M\b/g, "12:00 AM")
  );
}

/**
 * Replaces the random ids in the prompts of a run by numbers, in the order in which they first appear: how much of a
 * prompt is the same as in the last one must not depend on the first letters of two ids.
 */
export class StableIds {
  readonly #numbers = new Map<string, string>();
  readonly #pieces = new Map<string, string>();

  replaceIn(piece: string): string {
    const known = this.#pieces.get(piece);
    if (known !== undefined) return known;
    const replaced = this.#replace(piece);
    this.#pieces.set(piece, replaced);
    return replaced;
  }

  #replace(piece: string): string {
    return piece.replaceAll(
      /\b(?:[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{16}|[\da-f]{32})\b/g,
      (id) => {
        const known = this.#numbers.get(id) ?? reversed(this.#numbers.size).padEnd(id.length, "0");
        this.#numbers.set(id, known);
        return known;
      },
    );
  }
}

/** Two numbers differ in the first digits, as two random ids do. */
function reversed(number: number): string {
  return [...String(number)].reverse().join("");
}

/** Tokens, counted as four bytes each: the same rule for every system. */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

export function tokensOf(request: ScriptedRequest): number {
  return cachedPieces(request).reduce((sum, piece) => sum + tokensIn(piece), 0);
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) =>
      typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
        ? part.text
        : "",
    )
    .join("\n");
}

/** Calls and many results are JSON in a string; a model reads its quotes and line ends as such. */
function readable(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}
