import type { StoredMessage } from "../context/conversation.ts";
import { partKey, resultText, textsIn } from "../context/conversation.ts";
import { chooseEnds, type Ends } from "../context/excerpt.ts";
import { passageAt } from "../surfaces/recall/passages.ts";
import type { TurnRun } from "./answer.ts";

export type ShortenRun = Pick<TurnRun, "agent" | "setting" | "emit">;

/** A part of a message that the prompt can show without its middle. */
export interface LongPart {
  kind: "prompt" | "result" | "call" | "answer";
  key: string;
  message: number;
  /** The tool of a result or a call, else "". */
  tool: string;
  text: string;
  /** The texts that are cut, if they are only a piece of `text`: the arguments of a call. */
  pieces?: string[];
  /** Tokens it takes now. */
  tokens: number;
}

/** Tokens for the note in place of what is cut. */
export const noteTokens = 70;

/** The parts of a message with their whole texts. `tokensOf` gives what each takes in the prompt now. */
export function partsOf(stored: StoredMessage, tokensOf: (text: string) => number): LongPart[] {
  const { number, message } = stored;
  if (message.role === "system") return [];
  const role = message.role === "user" ? ("prompt" as const) : ("answer" as const);
  const part = (index: number, kind: LongPart["kind"], text: string, tool = ""): LongPart => ({
    kind,
    key: partKey(number, index),
    message: number,
    tool,
    text,
    tokens: tokensOf(text),
  });
  if (typeof message.content === "string") return [part(0, role, message.content)];
  return message.content.flatMap((content, index): LongPart[] => {
    if (content.type === "text") return [part(index, role, content.text)];
    // Images and files in a result cannot be cut.
    if (content.type === "tool-result" && content.output.type !== "content")
      return [part(index, "result", resultText(content.output), content.toolName)];
    if (content.type === "tool-call") {
      const { input, toolName } = content;
      return [{ ...part(index, "call", JSON.stringify(input) ?? "", toolName), pieces: textsIn(input) }];
    }
    return [];
  });
}

/** Shows parts of messages without their middle, each in about the given number of tokens. */
export async function shorten(
  { agent, setting, emit }: ShortenRun,
  parts: readonly (LongPart & { room: number })[],
): Promise<boolean> {
  const { countTokens, tokenizer } = setting;
  const offered = new Set(agent.tools.map(({ name }) => name));
  const cut = parts.flatMap((part) => {
    const room = Math.max(0, part.room - noteTokens) / tokenizer.ratio;
    const ends = endsOf(part, room, countTokens);
    if (!ends) return [];
    const note = noteFor(part, ends, offered);
    const saved = part.text.length - ends.head - ends.tail - note.length;
    // A short text is not worth a note.
    return saved > note.length ? [{ part, ends, note }] : [];
  });
  if (cut.length === 0) return false;
  await agent.session.apply(
    {
      type: "context.shorten",
      parts: cut.map(({ part, ends, note }) => ({ key: part.key, message: part.message, ...ends, note })),
    },
    { actor: { kind: "system" } },
  );
  for (const { part, ends } of cut) {
    const { kind, message, tool, text } = part;
    emit({
      type: "shortened",
      part: kind,
      message,
      tool,
      characters: text.length,
      shown: ends.head + ends.tail,
    });
  }
  return true;
}

/** In a call, only its longest arguments are cut. */
function endsOf(
  { text, pieces }: LongPart,
  room: number,
  countTokens: (text: string) => number,
): Ends | undefined {
  if (!pieces) return chooseEnds(text, room, countTokens);
  const longest = pieces.reduce((long, piece) => (piece.length > long.length ? piece : long), "");
  const others = countTokens(text) - countTokens(longest);
  return chooseEnds(longest, Math.max(0, room - others), countTokens);
}

/** Says what is cut, and how the agent reads it. */
function noteFor(part: LongPart, { head, tail }: Ends, offered: ReadonlySet<string>): string {
  const { kind, text, key, message } = part;
  if (kind === "call") return "[Cut here to fit the context window; the tool received the whole text.]";
  const to = text.length - tail;
  const lines = linesOf(text, head, to);
  const what = lines
    ? `lines ${lines.from} to ${lines.to} of ${lines.all} (${to - head} characters)`
    : `characters ${head} to ${to} of ${text.length}`;
  const cut = `Cut here to fit the context window: ${what}.`;
  if (kind === "result") {
    const where = lines ? `range "${lines.from}-${lines.to}"` : `offset ${head}`;
    return offered.has("recall_result")
      ? `[${cut} Call recall_result with id "${key}" and ${where} to read them.]`
      : `[${cut} Call the tool again for a smaller part to read them.]`;
  }
  const owner = kind === "prompt" ? "Ask the user for what you need of it." : "";
  return offered.has("recall")
    ? `[${cut} Call recall with from "${passageAt(message, text, head)}" to read them.]`
    : `[${[cut, owner].filter(Boolean).join(" ")}]`;
}

/** The lines between two offsets, if the cut begins and ends at lines. */
function linesOf(
  text: string,
  from: number,
  to: number,
): { from: number; to: number; all: number } | undefined {
  const startsLine = from === 0 || text[from - 1] === "\n";
  const endsLine = to === text.length || text[to - 1] === "\n";
  if (!startsLine || !endsLine) return undefined;
  const count = (end: number) => text.slice(0, end).split("\n").length;
  return { from: count(from), to: count(to - 1), all: count(text.length) };
}
