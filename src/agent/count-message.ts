import type { ModelMessage } from "ai";

/** Tokens that providers take for an image or a page; what a file takes follows from its size. */
const mediaTokens = 1_500;
const mediaBytes = 100_000;

/** Characters of encrypted thinking per token of it. */
const opaqueCharacters = 5;

/** Counts each message once: stored messages never change. */
export function messageCounter(countTokens: (text: string) => number): (message: ModelMessage) => number {
  const sizes = new WeakMap<ModelMessage, number>();
  return (message) => {
    const known = sizes.get(message);
    if (known !== undefined) return known;
    const { content } = message;
    const tokens = typeof content === "string" ? countTokens(content) : countParts(content, countTokens);
    sizes.set(message, tokens + 4);
    return tokens + 4;
  };
}

type Part = Exclude<ModelMessage["content"], string>[number];

/** Most parts are text or JSON and are counted together, as one text. */
function countParts(parts: readonly Part[], countTokens: (text: string) => number): number {
  const plain: unknown[] = [];
  let tokens = 0;
  for (const part of parts) {
    if (part.type === "reasoning") tokens += countTokens(part.text) + opaqueTokens(part.providerOptions);
    else if (part.type === "image") tokens += tokensOfMedia(part.image);
    else if (part.type === "file") tokens += tokensOfMedia(part.data);
    else if (part.type === "tool-result" && part.output.type === "content") {
      const media = part.output.value.filter(({ type }) => type !== "text");
      tokens += media.length * mediaTokens;
      plain.push({ ...part, output: part.output.value.filter(({ type }) => type === "text") });
    } else plain.push(part);
  }
  return plain.length === 0 ? tokens : tokens + countTokens(JSON.stringify(plain));
}

function tokensOfMedia(data: unknown): number {
  const text = typeof data === "string" ? data : "";
  const bytes = data instanceof Uint8Array ? data.byteLength : (text.length * 3) / 4;
  return Math.max(1, Math.ceil(bytes / mediaBytes)) * mediaTokens;
}

/** Thinking that only the provider can read. A signature only proves thinking whose text is there. */
function opaqueTokens(options: Record<string, Record<string, unknown> | undefined> | undefined): number {
  const hidden = [options?.openai?.reasoningEncryptedContent, options?.anthropic?.redactedData];
  const characters = hidden.reduce<number>(
    (sum, text) => sum + (typeof text === "string" ? text.length : 0),
    0,
  );
  return Math.ceil(characters / opaqueCharacters);
}
