/** The options of a message, a part or a tool that only one provider reads. */
export type ProviderOptions = Record<string, Record<string, unknown>>;

interface Markable {
  providerOptions?: ProviderOptions | undefined;
}

/** A message of a prompt, of the AI SDK or of a provider. */
export interface CachedMessage extends Markable {
  role: string;
  content: unknown;
}

/** How a provider is asked to cache a prompt: by marks in it, by a key for all prompts of a session, or not at all. */
export type CacheKind = "marks" | "key" | "none";

/** Anthropic allows this many marks in one request. */
const maxMarks = 4;

/** `provider` is the AI SDK's name of a provider, or a gateway's name of a model, such as anthropic/claude. */
export function cacheKindOf(provider: string): CacheKind {
  if (/\banthropic\b/i.test(provider)) return "marks";
  return /^openai(?:[./]|$)/i.test(provider) ? "key" : "none";
}

export interface CachePlan {
  /** Whether the last tool gets a mark. */
  tools: boolean;
  /** The messages that get one. */
  messages: ReadonlySet<number>;
}

/**
 * Where to mark a prompt, so that a provider caches what the next calls repeat: its end, the end of the system prompt
 * with the frozen memory, the summary, and the tools. The caller's own marks come first.
 */
export function planCacheMarks(
  messages: readonly CachedMessage[],
  tools: readonly Markable[],
  summary: number | undefined,
): CachePlan {
  const own = [...tools, ...messages, ...messages.flatMap(partsOf)].filter(isMarked).length;
  const system = messages.findLastIndex(({ role }) => role === "system");
  const end = messages.findLastIndex(({ role, content }) => role !== "system" && canEnd(content));
  const wanted = [end, system, summary ?? -1].filter((at) => at >= 0);
  const chosen = [...new Set(wanted)]
    .filter((at) => !isMarked(messages[at]) && !partsOf(messages[at]).some(isMarked))
    .slice(0, Math.max(0, maxMarks - own));
  const last = tools.at(-1);
  return {
    tools: last !== undefined && !isMarked(last) && own + chosen.length < maxMarks,
    messages: new Set(chosen),
  };
}

/** The same message, part or tool with a mark: the prompt is cached up to here. */
export function withCacheMark<T extends Markable>(value: T): T {
  const { providerOptions } = value;
  const anthropic = { ...providerOptions?.anthropic, cacheControl: { type: "ephemeral" } };
  return { ...value, providerOptions: { ...providerOptions, anthropic } };
}

/** Options with a key that tells the provider which prompts begin the same; the caller's own key stays. */
export function withCacheKey(options: ProviderOptions | undefined, session: string): ProviderOptions {
  return { ...options, openai: { promptCacheKey: keyFor(session), ...options?.openai } };
}

/** Providers limit the length of a key. */
function keyFor(session: string): string {
  return `holdfast-${session}`.slice(0, 64).toWellFormed();
}

/** Thinking and empty texts cannot be marked. */
function canEnd(content: unknown): boolean {
  if (typeof content === "string") return content !== "";
  const last = (Array.isArray(content) ? content.at(-1) : undefined) as
    | { type?: string; text?: string }
    | undefined;
  return last !== undefined && last.type !== "reasoning" && !(last.type === "text" && last.text === "");
}

function partsOf(message: CachedMessage | undefined): Markable[] {
  return Array.isArray(message?.content) ? (message.content as Markable[]) : [];
}

function isMarked(value: Markable | undefined): boolean {
  const anthropic = value?.providerOptions?.anthropic;
  return anthropic?.cacheControl !== undefined || anthropic?.cache_control !== undefined;
}
